package dev.rekindle.agent.restart;

import dev.rekindle.api.ReportName;
import dev.rekindle.api.RestartOrder;
import dev.rekindle.api.RestartReport;
import dev.rekindle.api.RestartReportSpec;
import dev.rekindle.detect.restart.Order;
import dev.rekindle.detect.restart.RestartReports;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;

/** Reads and writes this node's RestartReports. */
public final class RestartReportWriter implements RestartReports {
  private final KubernetesClient client;
  private final String node;

  /** Writes for that node. */
  public RestartReportWriter(KubernetesClient client, String node) {
    this.client = client;
    this.node = node;
  }

  @Override
  public @Nullable RestartReport read(Order order) {
    var report =
        client
            .resources(RestartReport.class)
            .inNamespace(order.namespace())
            .withName(name(order))
            .get();
    return report == null
            || report.getSpec() == null
            || !report.getSpec().orderUid().equals(order.uid())
        ? null
        : report;
  }

  @Override
  public RestartReport write(Order order, @Nullable RestartReport before, RestartReportSpec spec) {
    var report = new RestartReport();
    report.setSpec(spec);
    if (before != null) {
      report.setMetadata(before.getMetadata());
      return client.resource(report).update();
    }
    report.setMetadata(
        new ObjectMetaBuilder()
            .withNamespace(order.namespace())
            .withName(name(order))
            .addNewOwnerReference()
            .withApiVersion(HasMetadata.getApiVersion(RestartOrder.class))
            .withKind(HasMetadata.getKind(RestartOrder.class))
            .withName(order.name())
            .withUid(order.uid())
            .endOwnerReference()
            .build());
    return client.resource(report).create();
  }

  private String name(Order order) {
    return ReportName.ofOrder(order.name(), node);
  }
}
