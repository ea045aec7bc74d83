package dev.rekindle.controller.diagnosis;

import dev.rekindle.api.CauseReason;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Judges gangs that Rekindle resumed and of which some pods do not start: the scheduler finds no
 * node for them, or they have a node and no sandbox, for example because a pool of Spiderpool has
 * no address for them.
 */
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
    return recover(
        s,
        policy,
        now,
        homeless,
        "found no place",
        Objects.requireNonNull(oldest.failure()).message());
  }

  /**
   * The same of pods that are bound and have not started. What a kubelet says of a pod that cannot
   * start is another matter; where it says nothing, only events do, and no sandbox comes of
   * waiting.
   */
  static Optional<Verdict> unstarted(JobSnapshot s, Policy policy, Instant now) {
    if (s.job().attempt().isEmpty()) {
      return Optional.empty();
    }
    List<PodView> waiting = s.pods().stream().filter(UnplacedGangs::waits).sorted(BY_AGE).toList();
    if (waiting.isEmpty()) {
      return Optional.empty();
    }
    PodView oldest = waiting.getFirst();
    String where = "pod %s on node %s".formatted(oldest.name(), oldest.node());
    return recover(s, policy, now, waiting, "did not start on their nodes", where);
  }

  private static Optional<Verdict> recover(
      JobSnapshot s, Policy policy, Instant now, List<PodView> pods, String what, String why) {
    Instant due = pods.getFirst().created().plus(policy.start());
    if (now.isBefore(due)) {
      return Optional.of(new Verdict.Watch("pods " + what, due));
    }
    String message =
        "%d of %d pods %s within %d s: %s"
            .formatted(pods.size(), s.job().gangSize(), what, policy.start().toSeconds(), why);
    List<String> names = Causes.names(pods.stream());
    return Optional.of(
        Causes.recover(
            Causes.of(CauseReason.UNPLACED, message, List.of(), List.of(), List.of(), names, s)));
  }

  private static boolean waits(PodView pod) {
    return pod.phase() == PodView.Phase.PENDING
        && !pod.terminating()
        && !pod.node().isEmpty()
        && pod.failure() == null;
  }

  private static boolean findsNoPlace(PodView pod) {
    return pod.phase() == PodView.Phase.PENDING
        && !pod.terminating()
        && pod.failure() != null
        && pod.failure().kind().equals("Unschedulable");
  }
}
