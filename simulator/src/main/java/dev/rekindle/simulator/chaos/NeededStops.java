package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 36: no gang is stopped by a recovery that was opened while it had trained for a minute
 * without a break and without trouble. Bound: {@link #UNDER_WAY}, in which everybody has heard of
 * that. Why: a recovery costs a gang minutes of work, and nothing was the matter.
 */
final class NeededStops extends Check {
  private final Trouble trouble;

  /** Recoveries that were opened for nothing. */
  private final Set<String> needless = new HashSet<>();

  private boolean wrongClocks;

  NeededStops(World world, Invariants all, Trouble trouble) {
    super(world, all, Invariant.NEEDED_STOPS);
    this.trouble = trouble;
  }

  @Override
  public void clocksAreWrong(boolean wrong) {
    wrongClocks |= wrong;
  }

  @Override
  public void opened(RecoveryObject recovery) {
    if (!wrongClocks
        && jobOf(recovery).filter(job -> !trouble.since(job, now().minus(UNDER_WAY))).isPresent()) {
      needless.add(recovery.meta().key());
    }
  }

  @Override
  public void wrote(JobObject before, JobObject after, String verb, String recovery) {
    if (!before.suspend() && after.suspend()) {
      stops(before, before.key().namespace() + "/" + recovery);
    }
  }

  @Override
  public void ordered(@Nullable OrderObject before, OrderObject after) {
    if (after.spec().instruction() == RestartInstruction.FREEZE) {
      jobOf(after)
          .filter(job -> !isForNoPod(after, job))
          .ifPresent(job -> stops(job, after.recovery()));
    }
  }

  private void stops(JobObject job, String recovery) {
    if (needless.contains(recovery) && !trouble.since(job, now().minus(UNDER_WAY))) {
      broken(
          "recovery %s stops job %s, which trains and had trained for a minute when it was opened: %s"
              .formatted(recovery, job.key(), why(recovery)));
    }
  }

  private String why(String recovery) {
    RecoveryStatus status =
        world.recoveries().find(recovery).map(RecoveryObject::status).orElse(null);
    return status == null || status.cause() == null ? "no cause" : status.cause().message();
  }
}
