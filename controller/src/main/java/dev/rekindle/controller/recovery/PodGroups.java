package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.Transitions.attemptId;
import static dev.rekindle.controller.recovery.Transitions.phase;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.controller.model.GangScheduling.Group;
import dev.rekindle.controller.model.GangScheduling.Scheduler;
import dev.rekindle.controller.model.PodView;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Makes the scheduler plugin Coscheduling retry a gang that it could not place. The plugin retries
 * for a new pod or a changed PodGroup, but not for a node that comes back or is freed: for that
 * only after five minutes. So while pods of a restarted gang wait, an annotation of their PodGroup
 * is changed every few seconds.
 */
final class PodGroups {
  /** A pod for which there is room is placed long before. */
  static final Duration PATIENCE = Duration.ofSeconds(3);

  static final Duration AGAIN = Duration.ofSeconds(10);

  private PodGroups() {}

  /** The decision, or a write to the PodGroup in place of doing nothing. */
  static Decision keptLooking(RecoverySnapshot s, Decision wanted, Instant now) {
    if (!(wanted instanceof Decision.Wait(_, Duration recheck))
        || (phase(s) != RecoveryPhase.DRAINING && phase(s) != RecoveryPhase.VERIFYING)
        || !s.failures().mayAsk(CallKind.REQUEUE, now)) {
      return wanted;
    }
    return oldestWaiting(s)
        .map(pod -> Duration.between(pod.created(), now))
        .filter(age -> age.compareTo(PATIENCE) >= 0)
        .<Decision>map(
            age ->
                new Decision.Act(
                    List.of(
                        new Effect.Requeue(
                            Group.of(s.pods()).name(), attemptId(s) + "." + age.dividedBy(AGAIN))),
                    recheck.compareTo(AGAIN) < 0 ? recheck : AGAIN))
        .orElse(wanted);
  }

  private static Optional<PodView> oldestWaiting(RecoverySnapshot s) {
    return s.pods().stream()
        .filter(p -> p.group().scheduler() == Scheduler.COSCHEDULING)
        .filter(p -> p.node().isEmpty() && p.live() && !p.terminating())
        .min(Comparator.comparing(PodView::created));
  }
}
