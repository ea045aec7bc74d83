package dev.rekindle.controller.diagnosis;

import dev.rekindle.api.RecoveryStatus.Evidence;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.PodView;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Hardware faults of the nodes and devices that the pods of a job use. */
final class HardwareFaults {
  private HardwareFaults() {}

  static Optional<Verdict> hardwareFault(JobSnapshot s) {
    List<String> nodes = s.pods().stream().map(PodView::node).filter(n -> !n.isEmpty()).toList();
    if (s.job().finish() == Finish.FAILED && FailedJobs.userLimit(s.job())) {
      return Optional.empty();
    }
    List<FaultView> faults =
        DeviceOwners.concerning(s.pods(), s.faults()).stream()
            .filter(f -> f.fences() && nodes.contains(f.node()))
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
