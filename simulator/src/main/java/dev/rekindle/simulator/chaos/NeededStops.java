package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.controller.recovery.HoldReason;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 40: a gang is not stopped if it has trained for a minute without a break while nothing
 * was wrong with it, regardless of the reason for its recovery. Bound: {@link #UNDER_WAY}, after
 * which every watch has shown it. Why: a restart costs a gang minutes of work, and is not needed.
 */
final class NeededStops extends Check {
  private final Trouble trouble;

  NeededStops(World world, Invariants all, Trouble trouble) {
    super(world, all, Invariant.NEEDED_STOPS);
    this.trouble = trouble;
  }

  @Override
  public void wrote(JobObject before, JobObject after, String verb, String recovery) {
    if (!before.suspend() && after.suspend()) {
      stops(before, before.key().namespace() + "/" + recovery);
    }
  }

  @Override
  public void ordered(@Nullable OrderObject before, OrderObject after) {
    boolean froze = before != null && before.spec().instruction() != RestartInstruction.LOOK;
    if (after.spec().instruction() == RestartInstruction.FREEZE && !froze) {
      jobOf(after)
          .filter(job -> !isForNoPod(after, job))
          .ifPresent(job -> stops(job, after.recovery()));
    }
  }

  private void stops(JobObject job, String recovery) {
    if (!clocksWereWrong()
        && !isUnmarked(job)
        && !cameBackUnseen(job, recovery)
        && !trouble.since(job, now().minus(UNDER_WAY))) {
      broken(
          job.key(),
          "recovery %s stops job %s, which has trained for a minute: %s"
              .formatted(recovery, job.key(), why(recovery)));
    }
  }

  /** A pod that lost our mark does not count for the attempt, which waits for it in vain. */
  private boolean isUnmarked(JobObject job) {
    return world.podsOf(job).stream().anyMatch(PodObject::markTaken);
  }

  /**
   * Whether a person has approved a recovery of a gang of which no agent has reported a step since
   * it trains again: for all that the controller can see, it still stands (seeds 95264213 and
   * 95303831).
   */
  private boolean cameBackUnseen(JobObject job, String recovery) {
    boolean approved =
        world.recoveries().find(recovery).filter(NeededStops::wasHeldForApproval).isPresent();
    Instant moves = world.gang(job.meta().uid()).training().movingSince().orElse(null);
    return approved
        && moves != null
        && world.podsOf(job).stream()
            .flatMap(pod -> world.ranks().find(pod.meta().key()).stream())
            .map(rank -> rank.view().lastStepTime())
            .noneMatch(step -> step != null && !step.isBefore(moves));
  }

  private static boolean wasHeldForApproval(RecoveryObject recovery) {
    RecoveryStatus status = recovery.status();
    return status != null
        && status.timeline().stream()
            .anyMatch(entry -> HoldReason.AWAITING_APPROVAL.word().equals(entry.hold()));
  }

  private String why(String recovery) {
    RecoveryStatus status =
        world.recoveries().find(recovery).map(RecoveryObject::status).orElse(null);
    return status == null || status.cause() == null ? "no cause" : status.cause().message();
  }
}
