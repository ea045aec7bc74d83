package dev.rekindle.controller.kubernetes;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.RankReport;
import dev.rekindle.api.RankReportSpec;
import dev.rekindle.api.RankReportStatus;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPolicy;
import dev.rekindle.api.RecoveryPolicySpec;
import dev.rekindle.api.RecoveryPolicyStatus;
import dev.rekindle.api.ReportName;
import dev.rekindle.api.RestartOrder;
import dev.rekindle.api.RestartReport;
import dev.rekindle.api.Scorecard;
import dev.rekindle.controller.kubernetes.convert.FaultReader;
import dev.rekindle.controller.kubernetes.convert.Times;
import dev.rekindle.controller.model.AscendView;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.OrderView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.PolicyProblems;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.model.RestartView;
import dev.rekindle.detect.ApiTime;
import dev.rekindle.detect.node.AscendFault;
import dev.rekindle.detect.node.AscendReader;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Converts Rekindle's own objects to flat views; empty if an object lacks a required field. */
final class Views {
  private Views() {}

  static Optional<FaultView> fault(NodeFault fault) {
    NodeFaultSpec spec = fault.getSpec();
    if (spec == null || spec.node().isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        FaultReader.view(name(fault), spec, fault.getStatus(), Times.written(fault.getMetadata())));
  }

  /** Empty for a ConfigMap that is none of MindCluster's. */
  static Optional<AscendView> ascend(ConfigMap map) {
    String name = name(map);
    if (name.startsWith(AscendReader.DEVICES)) {
      return Optional.of(
          ascend(
              name.substring(AscendReader.DEVICES.length()), AscendReader.devices(map.getData())));
    }
    return name.startsWith(AscendReader.NODE)
        ? Optional.of(
            ascend(name.substring(AscendReader.NODE.length()), AscendReader.node(map.getData())))
        : Optional.empty();
  }

  private static AscendView ascend(String node, Optional<List<AscendFault>> faults) {
    return new AscendView(node, faults.isPresent(), faults.orElse(List.of()));
  }

  /** Empty also for one whose name is not the one that the agent of its node gives it. */
  static Optional<RankView> rank(RankReport report) {
    RankReportSpec spec = report.getSpec();
    RankReportStatus status = report.getStatus();
    if (spec == null
        || status == null
        || spec.job().isEmpty()
        || spec.podUid().isEmpty()
        || !name(report).equals(ReportName.of(spec))) {
      return Optional.empty();
    }
    return Optional.of(
        new RankView(
            new JobKey(namespace(report), spec.job()),
            spec.pod(),
            spec.podUid(),
            spec.node(),
            status.restartCount(),
            status.firstStep(),
            status.lastStep(),
            status.firstStepTime(),
            status.lastStepTime(),
            status.observedTime(),
            status.asked(),
            status.pace(),
            status.message().equals(RankReportStatus.NO_STEP),
            status.message().equals(RankReportStatus.NO_LINE),
            status.loadError(),
            status.loss(),
            status.saves(),
            status.transport()));
  }

  static Optional<RecoveryView> recovery(Recovery recovery) {
    if (recovery.getSpec() == null || recovery.getSpec().job().isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new RecoveryView(
            namespace(recovery),
            name(recovery),
            orEmpty(recovery.getMetadata().getUid()),
            orEmpty(recovery.getMetadata().getResourceVersion()),
            recovery.getSpec(),
            recovery.getStatus(),
            Objects.requireNonNullElse(recovery.getMetadata().getGeneration(), 0L)));
  }

  static Optional<OrderView> order(RestartOrder order) {
    return order.getSpec() == null || order.getSpec().job().isEmpty()
        ? Optional.empty()
        : Optional.of(
            new OrderView(
                namespace(order),
                name(order),
                orEmpty(order.getMetadata().getUid()),
                created(order),
                order.getSpec()));
  }

  /** Empty also for one whose name is not the one that the agent of its node gives it. */
  static Optional<RestartView> restart(RestartReport report) {
    return report.getSpec() == null
            || report.getSpec().job().isEmpty()
            || !name(report).equals(ReportName.of(report.getSpec()))
        ? Optional.empty()
        : Optional.of(new RestartView(namespace(report), name(report), report.getSpec()));
  }

  /** Empty for one that cannot be used: its condition {@code Accepted} says why. */
  static Optional<Policy> policy(RecoveryPolicy policy) {
    RecoveryPolicySpec spec = Objects.requireNonNullElse(policy.getSpec(), RecoveryPolicySpec.NONE);
    return PolicyProblems.of(spec).isEmpty() ? Optional.of(Policy.of(spec)) : Optional.empty();
  }

  static Scorecard scorecard(RecoveryPolicy policy) {
    RecoveryPolicyStatus status = policy.getStatus();
    Scorecard card = status == null ? null : status.scorecard();
    return card == null ? Scorecard.NONE : card;
  }

  private static Instant created(HasMetadata object) {
    return Objects.requireNonNullElse(
        ApiTime.parse(object.getMetadata().getCreationTimestamp()), Instant.EPOCH);
  }

  private static String name(HasMetadata object) {
    return orEmpty(object.getMetadata().getName());
  }

  private static String namespace(HasMetadata object) {
    return orEmpty(object.getMetadata().getNamespace());
  }

  private static String orEmpty(@Nullable String text) {
    return Objects.requireNonNullElse(text, "");
  }
}
