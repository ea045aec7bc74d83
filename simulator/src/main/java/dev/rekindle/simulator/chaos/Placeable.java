package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.simulator.world.FaultObject;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 31: a gang that trains is neither suspended nor frozen while it has no place without
 * the nodes that its recovery blames. Bound: it has made a step within 5 s, has reported steps for
 * 20 s without a pause, and every watch has shown for a minute that there is no room. Why: it would
 * stand until there is.
 */
final class Placeable extends Check {
  /** A gang that has made no step for so long need not be held for one that trains. */
  private static final Duration STANDS = Duration.ofSeconds(5);

  private final Places places;
  private final Evidence evidence;

  private final SeenTraining training;

  Placeable(World world, Invariants all, Places places, Evidence evidence) {
    super(world, all, Invariant.PLACEABLE);
    this.places = places;
    this.evidence = evidence;
    this.training = new SeenTraining(world, all, Invariant.PLACEABLE);
  }

  @Override
  public void wrote(JobObject before, JobObject after, String verb, String recovery) {
    if (!before.suspend() && after.suspend()) {
      if (orderOf(after).isEmpty()) {
        // One that is frozen already was stopped while it had a place (seed 73011629).
        stops(after);
      }
      // What the next gang does begins with its own steps (seed 3896).
      training.stopped(after);
    }
  }

  @Override
  public void ordered(@Nullable OrderObject before, OrderObject after) {
    if (before == null) {
      jobOf(after).ifPresent(this::stops);
    }
  }

  private void stops(JobObject job) {
    if (clocksWereWrong() || !training.trains(job) || !places.isSteady(job)) {
      return;
    }
    for (RecoveryObject recovery : open(job)) {
      RecoveryStatus status = recovery.status();
      Cause cause = status == null ? null : status.cause();
      if (status == null
          || cause == null
          || status.attempt() > 1
          || cause.reason().equals(Cause.STALLED)
          || cause.beforeStep() != null) {
        return;
      }
      long fit = mayFit(job, recovery, cause);
      if (fit < job.setup().ranks()) {
        broken(
            job.key(),
            "job %s trains and is stopped for %s; of its %d ranks %d have a place"
                .formatted(job.key(), cause.reason(), job.setup().ranks(), fit));
      }
    }
  }

  /** Ranks that nodes take, or that a process may still take them to. */
  private long mayFit(JobObject job, RecoveryObject recovery, Cause cause) {
    long fit = places.deletedLately();
    for (NodeObject node : world.nodes().all()) {
      boolean blamed = cause.faultyNodes().contains(node.meta().name()) && isFaulty(node, recovery);
      if (!blamed) {
        fit += places.isSteady(node) ? places.room(node, job, false) : Places.most(node, job);
      }
    }
    return fit;
  }

  /**
   * By a fault that its recovery was opened with, or that is no news: a later one of a moment ago
   * may not have been seen yet (seed 73016161). One that a reboot has repaired keeps its record;
   * its node is released all the same (seed 700071).
   */
  private boolean isFaulty(NodeObject node, RecoveryObject recovery) {
    for (FaultObject fault : world.faults().all()) {
      Instant written = fault.meta().written();
      if (fault.view().node().equals(node.meta().name())
          && fault.view().fences()
          && evidence.stands(fault)
          && fault.view().isOf(node.view())
          && (written.isBefore(recovery.meta().created())
              || written.plus(STANDS).isBefore(now()))) {
        return true;
      }
    }
    return false;
  }
}
