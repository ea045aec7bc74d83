package dev.rekindle.controller.kubernetes;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultStatus;
import dev.rekindle.api.RankReport;
import dev.rekindle.api.RankReportSpec;
import dev.rekindle.api.RankReportStatus;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPolicy;
import dev.rekindle.api.RecoveryPolicyStatus;
import dev.rekindle.api.ReportName;
import dev.rekindle.api.RestartOrder;
import dev.rekindle.api.RestartReport;
import dev.rekindle.api.Scorecard;
import dev.rekindle.controller.model.AscendView;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.OrderView;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.model.RestartView;
import dev.rekindle.detect.node.AscendFault;
import dev.rekindle.detect.node.AscendReader;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Rekindle's own objects as flat views; empty where an object lacks what makes it one. */
final class Views {
  private Views() {}

  static Optional<FaultView> fault(NodeFault fault) {
    NodeFaultSpec spec = fault.getSpec();
    if (spec == null || spec.node().isEmpty()) {
      return Optional.empty();
    }
    NodeFaultStatus status = fault.getStatus();
    return Optional.of(
        new FaultView(
            name(fault),
            spec.node(),
            component(spec),
            spec.code(),
            spec.fence(),
            status == null || status.state() != NodeFaultStatus.State.CLEARED,
            status == null ? 1 : status.count(),
            status == null || status.lastSeen() == null ? spec.firstSeen() : status.lastSeen(),
            status == null || status.lastEvidence().isEmpty()
                ? spec.evidence()
                : status.lastEvidence(),
            spec.detector(),
            spec.action(),
            status == null || status.bootId().isEmpty() ? spec.bootId() : status.bootId(),
            status == null ? "" : status.clearedBy(),
            status == null ? List.of() : incidents(status),
            null,
            spec.nodeUid()));
  }

  private static List<FaultView.Incident> incidents(NodeFaultStatus status) {
    return status.incidents().stream()
        .flatMap(i -> Stream.ofNullable(i.lastSeen()).map(last -> FaultView.Incident.of(i, last)))
        .toList();
  }

  private static String component(NodeFaultSpec spec) {
    String type =
        switch (spec.componentType()) {
          case GPU, NIC -> spec.componentType().name();
          case NVSWITCH -> "NVSwitch";
          case NODE -> spec.componentType().name().toLowerCase(Locale.ROOT);
        };
    return spec.componentId().isEmpty() ? type : type + " " + spec.componentId();
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
            status.asked()));
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
            recovery.getStatus()));
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

  static Scorecard scorecard(RecoveryPolicy policy) {
    RecoveryPolicyStatus status = policy.getStatus();
    Scorecard card = status == null ? null : status.scorecard();
    return card == null ? Scorecard.NONE : card;
  }

  private static Instant created(HasMetadata object) {
    String stamp = object.getMetadata().getCreationTimestamp();
    try {
      return stamp == null ? Instant.EPOCH : Instant.parse(stamp);
    } catch (DateTimeParseException e) {
      return Instant.EPOCH;
    }
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
