package dev.rekindle.controller.diagnosis;

import dev.rekindle.api.CauseReason;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Gangs that we resumed and for whose pods the scheduler finds no node. */
final class UnplacedGangs {
  private static final Comparator<PodView> BY_AGE =
      Comparator.comparing(PodView::created).thenComparing(PodView::name);

  private UnplacedGangs() {}

  /**
   * Our last plan may be what keeps the pods homeless: nodes that it excluded may be fit by now. A
   * job that was never ours waits for its first place, and that is the scheduler's business.
   */
  static Optional<Verdict> unplaced(JobSnapshot s, Policy policy, Instant now) {
    if (s.job().attempt().isEmpty()) {
      return Optional.empty();
    }
    List<PodView> homeless =
        s.pods().stream().filter(UnplacedGangs::findsNoPlace).sorted(BY_AGE).toList();
    if (homeless.isEmpty()) {
      return Optional.empty();
    }
    PodView oldest = homeless.getFirst();
    Instant due = oldest.created().plus(policy.start());
    if (now.isBefore(due)) {
      return Optional.of(new Verdict.Watch("pods find no place", due));
    }
    String message =
        "%d of %d pods found no place within %d s: %s"
            .formatted(
                homeless.size(),
                s.job().gangSize(),
                policy.start().toSeconds(),
                Objects.requireNonNull(oldest.failure()).message());
    List<String> pods = Causes.names(homeless.stream());
    return Optional.of(
        Causes.recover(
            Causes.of(CauseReason.UNPLACED, message, List.of(), List.of(), List.of(), pods, s)));
  }

  private static boolean findsNoPlace(PodView pod) {
    return pod.phase() == PodView.Phase.PENDING
        && !pod.terminating()
        && pod.failure() != null
        && pod.failure().kind().equals("Unschedulable");
  }
}
