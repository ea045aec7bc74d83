package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.Transitions.attemptId;
import static dev.rekindle.controller.recovery.Transitions.status;

import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.TimelineEntry;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.OrderView;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Whether training has gone back as its script requested, or was only about to. Later checkpoints
 * count as abandoned once a gang was started from an earlier one. If none was started, they are as
 * good as any other.
 */
final class PlannedRollBack {
  private PlannedRollBack() {}

  /** The status, in which nothing is given up where the plan to go back was not carried out. */
  static RecoveryStatus orNot(RecoverySnapshot s) {
    RecoveryStatus status = status(s);
    if (CheckpointPin.rollBack(status).isEmpty() || !isOnlyPlanned(s)) {
      return status;
    }
    Plan plan = Objects.requireNonNull(status.plan());
    PinnedCheckpoint pin = Objects.requireNonNull(plan.checkpoint());
    return status.withPlan(
        plan.withCheckpoint(
            new PinnedCheckpoint(
                pin.verdict(),
                pin.path(),
                pin.step(),
                pin.level(),
                pin.message(),
                null,
                pin.format(),
                pin.nodes())));
  }

  /**
   * Whether no gang was started by this recovery yet. What cannot be known counts as carried out:
   * to take up what was given up is worse than to train some steps again.
   */
  private static boolean isOnlyPlanned(RecoverySnapshot s) {
    return Transitions.phase(s.recovery()) == RecoveryPhase.RESUMING
        && status(s).attempt() == 1
        && isFirstPlan(status(s).timeline())
        && (InPlace.chosen(s) ? isFrozen(s.order()) : isNotResumed(s, s.job()));
  }

  /** Whether nothing was carried out, nor given up for another way, after an earlier plan. */
  private static boolean isFirstPlan(List<TimelineEntry> timeline) {
    return timeline.size() < RecoveryStatusBuilder.MAX_ENTRIES
        && timeline.stream()
            .map(TimelineEntry::phase)
            .dropWhile(phase -> phase != RecoveryPhase.RESUMING)
            .noneMatch(p -> p == RecoveryPhase.DRAINING || p == RecoveryPhase.VERIFYING);
  }

  private static boolean isFrozen(@Nullable OrderView order) {
    return order != null && order.spec().instruction() == RestartInstruction.FREEZE;
  }

  /** It is suspended, or somebody else has resumed it, without what it was to be given. */
  private static boolean isNotResumed(RecoverySnapshot s, @Nullable JobView job) {
    return job != null && !job.attempt().equals(attemptId(s));
  }
}
