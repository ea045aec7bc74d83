package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.Transitions.cause;
import static dev.rekindle.controller.recovery.Transitions.status;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.controller.diagnosis.GangProgress;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A gang that has no place once it leaves its faulty nodes, and that trains on them still. It is
 * not stopped for that: it would stand, suspended, until there is room. Where it does not train it
 * is suspended and holds no GPU while it waits.
 */
final class Unplaceable {
  /** Reports come late, and to wait a little longer costs nothing where there is no place. */
  private static final Duration LATELY = Duration.ofSeconds(60);

  private Unplaceable() {}

  /** The hold, or the way out of it; empty where nothing keeps the recovery from going on. */
  static Optional<Decision> heldWhileItTrains(
      RecoverySnapshot s, JobView job, Policy policy, Instant now) {
    boolean held = HoldReason.of(status(s)).filter(HoldReason.NO_CAPACITY::equals).isPresent();
    if (!trains(s, job, policy, now)) {
      return held
          ? Optional.of(
              Transitions.enter(s, RecoveryPhase.DRAINING, "the gang trains no more", now))
          : Optional.empty();
    }
    List<String> excluded = GangRoom.closedNodes(s);
    Optional<String> missing = GangRoom.missing(s, job, excluded);
    if (missing.isPresent()) {
      String why = missing.get() + "; the job trains on meanwhile";
      return Optional.of(Transitions.hold(s, HoldReason.NO_CAPACITY, why, now));
    }
    return held
        ? Optional.of(
            Transitions.enter(s, RecoveryPhase.DRAINING, "there is room for the gang", now))
        : Optional.empty();
  }

  private static Duration lately(Policy policy) {
    return policy.minStall().compareTo(LATELY) > 0 ? policy.minStall() : LATELY;
  }

  /** Whether the whole gang runs and a step of it was seen lately. */
  static boolean trains(RecoverySnapshot s, JobView job, Policy policy, Instant now) {
    if (job.suspended()
        || job.finish() != Finish.NOT_FINISHED
        || status(s).attempt() > 1
        || cause(s).reason().equals(Cause.STALLED)
        || cause(s).beforeStep() != null) {
      return false;
    }
    return steps(s, job, policy, now);
  }

  /** Whether all of the gang is Ready and a step of it was seen lately, whatever it was before. */
  static boolean steps(RecoverySnapshot s, JobView job, Policy policy, Instant now) {
    boolean whole =
        s.pods().size() == job.gangSize()
            && s.pods().stream()
                .allMatch(p -> p.phase() == PodView.Phase.RUNNING && p.ready() && !p.terminating());
    Instant stepped = GangProgress.of(s.pods(), s.ranks()).lastStepTime();
    return whole
        && stepped != null
        && Duration.between(stepped, now).compareTo(lately(policy)) <= 0;
  }
}
