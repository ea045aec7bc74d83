package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartOrder;
import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.api.RestartReport;
import dev.rekindle.api.RestartReportSpec;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** What controller and agents may do: enough for all of the suite, and not much more. */
@Order(Integer.MAX_VALUE)
@OnTestbed
class PermissionsIT {
  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);
  private static final String TOKEN = "var/run/secrets/kubernetes.io/serviceaccount/token";

  @Test
  void shouldNeverHaveBeenRefusedByTheApiServer(Scene scene) {
    List<LogLine> all = scene.testbed().systemLogs().since(Instant.EPOCH);
    assertThat(all).as("the logs were followed").isNotEmpty();
    assertThat(all)
        .filteredOn(l -> l.text().toLowerCase(Locale.ROOT).contains("forbidden"))
        .as("refusals")
        .isEmpty();
  }

  /** A node that was taken over must not be able to get others fenced. */
  @Test
  void shouldLetAnAgentSpeakForItsOwnNodeOnly(Scene scene) {
    Pod agent = podOf(scene, "agent", "node-1");
    try (KubernetesClient thief = as(agent, "agent")) {
      assertThat(thief.resource(fault("node-1")).dryRun().create().getSpec().node())
          .isEqualTo("node-1");
      assertThatThrownBy(() -> thief.resource(fault("node-2")).dryRun().create())
          .isInstanceOf(KubernetesClientException.class)
          .hasMessageContaining("only about its own node");
    }
  }

  /** What the controller reads off the API is its own to write; an agent that could would fence. */
  @Test
  void shouldLetNobodyButTheControllerWriteWhatItsDetectorsFind(Scene scene) {
    assertThatThrownBy(() -> scene.client().resource(found("node-1")).dryRun().create())
        .as("an administrator")
        .isInstanceOf(KubernetesClientException.class)
        .hasMessageContaining("only Rekindle's controller");
    try (KubernetesClient agent = as(podOf(scene, "agent", "node-1"), "agent")) {
      assertThatThrownBy(() -> agent.resource(found("node-1")).dryRun().create())
          .as("the agent of that node")
          .isInstanceOf(KubernetesClientException.class)
          .hasMessageContaining("only Rekindle's controller");
    }
    try (KubernetesClient controller = as(scene.controller().leader(), "controller")) {
      assertThat(controller.resource(found("node-1")).dryRun().create().getSpec().detector())
          .isEqualTo("condition");
      assertThat(controller.leases().inNamespace("kube-node-lease").withName("node-1").get())
          .as("the lease of a node")
          .isNotNull();
      refused(() -> controller.leases().inNamespace("kube-node-lease").list());
      assertThat(scene.client().resource(fault("node-1")).dryRun().create().getSpec().detector())
          .as("an administrator and a fault of an agent's")
          .isEqualTo("kmsg");
    }
  }

  private static NodeFault found(String node) {
    NodeFault fault = new NodeFault();
    fault.setMetadata(new ObjectMetaBuilder().withName(node + ".node.cond-gpumissing").build());
    fault.setSpec(
        new NodeFaultSpec(
            node,
            ComponentType.NODE,
            "",
            "COND-GPUMISSING",
            "condition",
            FenceGuidance.ALWAYS,
            "investigate",
            "",
            Instant.now(),
            "made up"));
    return fault;
  }

  @Test
  void shouldKeepControllerAndAgentFromWhatIsNoneOfTheirBusiness(Scene scene) {
    for (String component : List.of("agent", "controller")) {
      Pod pod = podOf(scene, component, "");
      try (KubernetesClient client = as(pod, component)) {
        refused(() -> client.secrets().inNamespace(Testbed.NAMESPACE).list());
        refused(() -> client.nodes().withName("node-0").dryRun().delete());
        refused(() -> client.configMaps().inNamespace("kube-system").list());
      }
    }
    try (KubernetesClient agent = as(podOf(scene, "agent", ""), "agent")) {
      refused(() -> agent.nodes().withName("node-0").dryRun().patch(MERGE, "{}"));
      refused(() -> agent.pods().inNamespace(Testbed.NAMESPACE).withName("any").dryRun().delete());
    }
  }

  /** Whoever may give orders may kill processes on every node. */
  @Test
  void shouldLetNobodyButTheControllerOrderARestart(Scene scene) {
    assertThatThrownBy(() -> scene.client().resource(order()).dryRun().create())
        .as("an administrator")
        .isInstanceOf(KubernetesClientException.class)
        .hasMessageContaining("only Rekindle's controller");
    try (KubernetesClient agent = as(podOf(scene, "agent", "node-1"), "agent")) {
      refused(() -> agent.resource(order()).dryRun().create());
      assertThat(agent.resource(report("node-1")).dryRun().create().getSpec().node())
          .isEqualTo("node-1");
      assertThatThrownBy(() -> agent.resource(report("node-2")).dryRun().create())
          .isInstanceOf(KubernetesClientException.class)
          .hasMessageContaining("only about its own node");
    }
    try (KubernetesClient controller = as(scene.controller().leader(), "controller")) {
      assertThat(controller.resource(order()).dryRun().create().getSpec().job()).isEqualTo("job");
      refused(() -> controller.resource(report("node-1")).dryRun().create());
    }
  }

  private static RestartOrder order() {
    RestartOrder order = new RestartOrder();
    order.setMetadata(
        new ObjectMetaBuilder().withNamespace(Testbed.NAMESPACE).withName("job-r1-1").build());
    order.setSpec(
        new RestartOrderSpec("job", "uid", "job-r1", RestartInstruction.FREEZE, "", Instant.now()));
    return order;
  }

  private static RestartReport report(String node) {
    RestartReport report = new RestartReport();
    report.setMetadata(
        new ObjectMetaBuilder()
            .withNamespace(Testbed.NAMESPACE)
            .withName("job-r1-1." + node)
            .build());
    report.setSpec(
        new RestartReportSpec(
            "job-r1-1", "uid", node, "job", null, "made up", List.of(), Instant.now()));
    return report;
  }

  private static void refused(Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            KubernetesClientException.class, e -> assertThat(e.getCode()).isEqualTo(403));
  }

  private static Pod podOf(Scene scene, String component, String node) {
    return scene
        .client()
        .pods()
        .inNamespace(ControllerProcess.NAMESPACE)
        .withLabel("app.kubernetes.io/component", component)
        .list()
        .getItems()
        .stream()
        .filter(p -> node.isEmpty() || node.equals(p.getSpec().getNodeName()))
        .findFirst()
        .orElseThrow();
  }

  /** A client with the token of a pod, read where the pod itself reads it. */
  private static KubernetesClient as(Pod pod, String container) {
    long process = Host.processes(pod, container).getFirst();
    Config config =
        new ConfigBuilder(Testbed.administrator())
            .withOauthToken(read(Path.of("/proc", Long.toString(process), "root").resolve(TOKEN)))
            .withAutoOAuthToken(null)
            .build();
    return new KubernetesClientBuilder().withConfig(config).build();
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static NodeFault fault(String node) {
    NodeFault fault = new NodeFault();
    fault.setMetadata(new ObjectMetaBuilder().withName(node + ".0000-3b-00.xid-79").build());
    fault.setSpec(
        new NodeFaultSpec(
            node,
            ComponentType.GPU,
            "0000:3b:00",
            "XID-79",
            "kmsg",
            FenceGuidance.ALWAYS,
            "reboot_node",
            "boot",
            Instant.now(),
            "made up"));
    return fault;
  }
}
