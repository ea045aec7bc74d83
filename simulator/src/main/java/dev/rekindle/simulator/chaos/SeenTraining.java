package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.RankObject;
import dev.rekindle.simulator.world.TrainingProgress;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * Gangs that certainly train: they have made a step within 5 s, and their reports have shown steps
 * for 20 s without a pause, so that no check takes them for stalled ones.
 */
final class SeenTraining extends Check {
  /** Reports come at least so often. */
  private static final Duration PAUSE = Duration.ofSeconds(20);

  /** A gang that has made no step for so long need not be held for one that trains. */
  private static final Duration STANDS = Duration.ofSeconds(5);

  /** By name of a job: since when its reports have shown steps without a pause. */
  private final Map<String, Instant> steps = new HashMap<>();

  private final Map<String, Instant> newest = new HashMap<>();

  SeenTraining(World world, Invariants all, Invariant invariant) {
    super(world, all, invariant);
    world.ranks().watch(this::reported);
  }

  /** What the next gang does begins with its own steps (seed 3896). */
  void stopped(JobObject job) {
    steps.remove(job.key().toString());
    newest.remove(job.key().toString());
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

  /** Whether the whole gang does. */
  boolean trains(JobObject job) {
    Instant since = steps.get(job.key().toString());
    Instant last = newest.get(job.key().toString());
    return since != null
        && since.plus(PAUSE).isBefore(now())
        && last != null
        && !last.plus(PAUSE).isBefore(now())
        && !training(job).lastStep().plus(STANDS).isBefore(now())
        // What kubelets have just restarted is held for a gang that does not run (seeds 73002045
        // and 94729685).
        && training(job).firstStepTime().plus(PAUSE).isBefore(now())
        && world.podsOf(job).size() == job.setup().ranks()
        && world.podsOf(job).stream()
            .allMatch(p -> p.status().ready() && !p.meta().terminating() && isReady(p))
        // A container that has just been started again has not trained (seed 75046325).
        && world.podsOf(job).stream()
            .allMatch(p -> world.gang(job.meta().uid()).processes().hasTrained(p.meta().uid()));
  }

  private TrainingProgress training(JobObject job) {
    return world.gang(job.meta().uid()).training();
  }

  private boolean isReady(PodObject pod) {
    return world.nodes().find(pod.node()).filter(n -> n.readiness() == Readiness.READY).isPresent();
  }
}
