package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.FaultObject;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.RankObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.TrainingProgress;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 31: a gang that trains is neither suspended nor frozen while it has no place without
 * the nodes that its recovery blames. Bound: it has made a step within 5 s, has reported steps for
 * 20 s without a pause, and everybody has heard for a minute that there is no room. Why: it would
 * stand until there is.
 */
final class Placeable extends Check {
  /** Reports come at least so often. */
  private static final Duration PAUSE = Duration.ofSeconds(20);

  /** A gang that has made no step for so long need not be held for one that trains. */
  private static final Duration STANDS = Duration.ofSeconds(5);

  private final Places places;
  private final Evidence evidence;

  /** By name of a job: since when its reports have shown steps without a pause. */
  private final Map<String, Instant> steps = new HashMap<>();

  private final Map<String, Instant> newest = new HashMap<>();
  private boolean wrongClocks;

  Placeable(World world, Invariants all, Places places, Evidence evidence) {
    super(world, all, Invariant.PLACEABLE);
    this.places = places;
    this.evidence = evidence;
    world.ranks().watch(this::reported);
  }

  private void reported(Change<RankObject> change) {
    RankObject after = change.after();
    Instant step = after == null ? null : after.view().lastStepTime();
    if (after == null || step == null || !counts(after)) {
      return;
    }
    String job = after.view().job().toString();
    Instant before = newest.put(job, now());
    if (before == null || before.plus(PAUSE).isBefore(now()) || step.plus(PAUSE).isBefore(now())) {
      steps.put(job, now());
    }
  }

  @Override
  public void clocksAreWrong(boolean wrong) {
    wrongClocks |= wrong;
  }

  @Override
  public void wrote(JobObject before, JobObject after, String verb, String recovery) {
    if (!before.suspend() && after.suspend()) {
      if (orderOf(after).isEmpty()) {
        // One that is frozen already was stopped while it had a place (seed 73011629).
        stops(after);
      }
      // What the next gang does begins with its own steps (seed 3896).
      steps.remove(after.key().toString());
      newest.remove(after.key().toString());
    }
  }

  @Override
  public void ordered(@Nullable OrderObject before, OrderObject after) {
    if (before == null) {
      jobOf(after).ifPresent(this::stops);
    }
  }

  private void stops(JobObject job) {
    if (wrongClocks || !trains(job) || !places.isSteady(job)) {
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

  private boolean trains(JobObject job) {
    Instant since = steps.get(job.key().toString());
    Instant last = newest.get(job.key().toString());
    return since != null
        && since.plus(PAUSE).isBefore(now())
        && last != null
        && !last.plus(PAUSE).isBefore(now())
        && !training(job).lastStep().plus(STANDS).isBefore(now())
        // What kubelets have just restarted is held for a gang that does not run (seed 73002045).
        && training(job).firstStepTime().plus(STANDS).isBefore(now())
        && world.podsOf(job).size() == job.setup().ranks()
        && world.podsOf(job).stream()
            .allMatch(p -> p.status().ready() && !p.meta().terminating() && isReady(p))
        // A container that has just been started anew has not trained (seed 75046325).
        && world.podsOf(job).stream()
            .allMatch(p -> world.gang(job.meta().uid()).processes().hasTrained(p.meta().uid()));
  }

  private TrainingProgress training(JobObject job) {
    return world.gang(job.meta().uid()).training();
  }

  private boolean isReady(PodObject pod) {
    return world.nodes().find(pod.node()).filter(n -> n.readiness() == Readiness.READY).isPresent();
  }

  /** Nodes that take a rank, or of which somebody may still think so. */
  private long mayFit(JobObject job, RecoveryObject recovery, Cause cause) {
    long fit = places.deletedLately();
    for (NodeObject node : world.nodes().all()) {
      boolean blamed = cause.faultyNodes().contains(node.meta().name()) && isFaulty(node, recovery);
      if (!blamed && (!places.isSteady(node) || places.takes(node, job, false))) {
        fit++;
      }
    }
    return fit;
  }

  /**
   * By a fault that its recovery was opened with, or that is no news: a later one of a moment ago
   * may not have been heard of (seed 73016161). One that a reboot has repaired keeps its record;
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
