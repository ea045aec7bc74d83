package dev.rekindle.simulator.chaos;

import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.Poison;
import java.time.Instant;
import java.util.List;
import java.util.random.RandomGenerator;

/** Checkpoints that look whole and are not; in few runs, and seen once a job resumes from one. */
final class Poisons extends DisturbanceSource {
  private static final List<Poison> ALL =
      List.of(Poison.DOES_NOT_LOAD, Poison.GIVES_NAN, Poison.STARTS_OVER);

  Poisons(Simulation simulation, RandomGenerator random, Tenants.Listener listener) {
    super(simulation, random, listener);
  }

  /** Plans it all for the time between those two. */
  void plan(Instant from, Instant to) {
    if (random.nextInt(3) == 0) {
      RandomTimes.plan(simulation, random, from, to, 3, this::strike);
    }
  }

  private void strike() {
    List<JobObject> jobs = world.jobs().list();
    if (jobs.isEmpty()) {
      return;
    }
    JobObject job = jobs.get(random.nextInt(jobs.size()));
    Poison poison = ALL.get(random.nextInt(ALL.size()));
    listener.did(
        Disturbance.CHECKPOINT_POISONED, job.key().toString(), "its newest checkpoint: " + poison);
    world.jobFaults().poisonNewestCheckpoints(job.key(), poison, 1);
  }
}
