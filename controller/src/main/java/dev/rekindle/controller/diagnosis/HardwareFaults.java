package dev.rekindle.controller.diagnosis;

import dev.rekindle.api.RecoveryStatus.Evidence;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Hardware faults of the nodes and devices that the pods of a job use. */
final class HardwareFaults {
  /** Clocks of two nodes differ by less. */
  private static final Duration CLOCKS = Duration.ofSeconds(10);

  private HardwareFaults() {}

  static Optional<Verdict> hardwareFault(JobSnapshot s, Policy policy) {
    List<String> nodes = s.pods().stream().map(PodView::node).filter(n -> !n.isEmpty()).toList();
    if (s.job().finish() == Finish.FAILED && FailedJobs.userLimit(s.job())) {
      return Optional.empty();
    }
    List<FaultView> faults =
        DeviceOwners.concerning(s.pods(), s.faults()).stream()
            .filter(f -> f.fences() && nodes.contains(f.node()))
            .filter(f -> !trainsSinceReboot(s, f, policy))
            .sorted(Comparator.comparing(FaultView::node).thenComparing(FaultView::code))
            .toList();
    if (faults.isEmpty()) {
      return Optional.empty();
    }
    FaultView worst = faults.getFirst();
    String message =
        "%s on %s of node %s%s"
            .formatted(worst.code(), worst.component(), worst.node(), sureness(worst));
    List<Evidence> evidence =
        faults.stream().map(f -> Evidence.onNode(f.node(), f.evidence())).toList();
    List<String> faulty = faults.stream().map(FaultView::node).distinct().toList();
    List<String> pods = Causes.names(s.pods().stream().filter(p -> faulty.contains(p.node())));
    return Optional.of(
        Causes.recover(
            Causes.ofFault(worst.code(), message, evidence, faulty, List.of(), pods, s)));
  }

  /**
   * Whether the gang has made steps since a reboot that repairs the fault. Training is synchronous,
   * so the ranks on that node train as well: where nothing was allowed while the fault was there,
   * there is nothing to do after it either. The node stays fenced until it has settled.
   */
  private static boolean trainsSinceReboot(JobSnapshot s, FaultView fault, Policy policy) {
    Instant last = GangProgress.of(s.pods(), s.ranks()).lastStepTime();
    return last != null
        && FaultAssessor.repaired(fault, s.nodes().get(fault.node()), policy)
            .filter(back -> back.plus(CLOCKS).isBefore(last))
            .isPresent();
  }

  private static String sureness(FaultView fault) {
    FaultView.Assessment weight = fault.weight();
    return weight == null
        ? ""
        : " (%s; confidence %s: %s)"
            .formatted(
                weight.reason(),
                weight.confidence().name().toLowerCase(Locale.ROOT),
                String.join(", ", weight.witnesses()));
  }
}
