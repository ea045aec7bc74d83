package dev.rekindle.simulator.chaos;

import dev.rekindle.api.CauseReason;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.PolicyObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 39: while the policy is paused no job is stopped and no node fenced, and outside the
 * maintenance windows no gang is stopped that trains. Bound: what was decided before may take
 * effect for {@link #UNDER_WAY}; a recovery that has stopped its job continues. Why: a person works
 * on the cluster and relies on it.
 */
final class Maintenance extends Check {
  /** The clock of a leader may be ahead by that much, and open a window early (seed 94425851). */
  private static final Duration SKEW = Duration.ofSeconds(2);

  private final Policy policy;
  private final SeenTraining training;

  /** Recoveries that have stopped their job, by UID. */
  private final Set<String> underWay = new HashSet<>();

  private @Nullable Instant pausedSince;

  Maintenance(World world, Invariants all, Policy policy) {
    super(world, all, Invariant.MAINTENANCE);
    this.policy = policy;
    this.training = new SeenTraining(world, all, Invariant.MAINTENANCE);
    this.pausedSince = policy.paused() ? Instant.MIN : null;
    world.policies().watch(this::policyChanged);
  }

  private void policyChanged(Change<PolicyObject> change) {
    boolean paused =
        change.after() != null
            && change.key().equals("default")
            && change.after().policy().paused();
    if (!paused) {
      pausedSince = null;
    } else if (pausedSince == null) {
      pausedSince = now();
    }
  }

  @Override
  public void cordoned(NodeObject before, String by) {
    boolean begun =
        !by.startsWith("fault/")
            && world
                .recoveries()
                .find(by)
                .filter(r -> underWay.contains(r.meta().uid()))
                .isPresent();
    if (longAgo(pausedSince) && !begun) {
      broken(
          "%s fences node %s, and the policy is paused since %s"
              .formatted(by, before.meta().name(), pausedSince));
    }
  }

  @Override
  public void wrote(JobObject before, JobObject after, String verb, String recovery) {
    if (!before.suspend() && after.suspend()) {
      if (orderOf(after).filter(o -> o.spec().instruction() != RestartInstruction.LOOK).isEmpty()) {
        stops(after);
      }
      training.stopped(after);
    }
  }

  @Override
  public void ordered(@Nullable OrderObject before, OrderObject after) {
    boolean freezes = after.spec().instruction() != RestartInstruction.LOOK;
    boolean froze = before != null && before.spec().instruction() != RestartInstruction.LOOK;
    if (freezes && !froze) {
      jobOf(after).filter(job -> !job.suspend()).ifPresent(this::stops);
    }
  }

  private void stops(JobObject job) {
    boolean trains = training.trains(job);
    for (RecoveryObject recovery : open(job)) {
      boolean first = underWay.add(recovery.meta().uid());
      if (first && longAgo(pausedSince)) {
        broken(
            "recovery %s stops job %s, and the policy is paused since %s"
                .formatted(recovery.meta().key(), job.key(), pausedSince));
      }
      if (first && trains && !clocksWereWrong() && waits(recovery) && isShut()) {
        broken(
            "recovery %s stops job %s, which trains, outside the windows"
                .formatted(recovery.meta().key(), job.key()));
      }
    }
  }

  private boolean isShut() {
    if (policy.maintenance().isOpen(now().plus(SKEW))) {
      return false;
    }
    for (Duration ago = Duration.ZERO;
        ago.compareTo(UNDER_WAY) <= 0;
        ago = ago.plus(Duration.ofSeconds(10))) {
      if (policy.maintenance().isOpen(now().minus(ago))) {
        return false;
      }
    }
    return true;
  }

  /** Where nothing but its trouble speaks for a restart. */
  private static boolean waits(RecoveryObject recovery) {
    RecoveryStatus status = recovery.status();
    RecoveryStatus.Cause cause = status == null ? null : status.cause();
    return status != null
        && cause != null
        && status.attempt() <= 1
        && cause.beforeStep() == null
        && !cause.reason().equals(CauseReason.STALLED.word())
        && !cause.reason().equals(CauseReason.RESTART_ASKED.word())
        && !cause.reason().equals(CauseReason.LOSS_NOT_FINITE.word());
  }
}
