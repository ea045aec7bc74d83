package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.setup.JobSetup.Recorder;
import dev.rekindle.simulator.setup.JobSetup.Traces;
import dev.rekindle.simulator.world.JobObject;
import java.time.Instant;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Jobs of which no line is read for a while, as their logs were rotated at once, and that train on.
 * Their dumps show that, so they are to be left alone.
 */
final class UnreadGangs extends DisturbanceSource {
  private static final int SEEDS = 9;

  UnreadGangs(Simulation simulation, RandomGenerator random, Tenants.Listener listener) {
    super(simulation, random, listener);
  }

  /** Plans it all for the time between those two. */
  void plan(Instant from, Instant to) {
    if (random.nextInt(SEEDS) == 0) {
      RandomTimes.plan(simulation, random, from, to, 3, this::strike);
    }
  }

  private void strike() {
    List<JobObject> jobs =
        world.jobs().list().stream()
            .filter(job -> job.setup().recorder() == Recorder.ALL)
            .filter(job -> job.setup().traces() == Traces.NONE || isTrue(job))
            .toList();
    if (jobs.isEmpty()) {
      return;
    }
    JobObject job = jobs.get(random.nextInt(jobs.size()));
    JobKey key = job.key();
    int ranks = job.setup().ranks();
    listener.did(Disturbance.GANG_UNREAD, key.toString(), "no line of it is read for a while");
    for (int rank = 0; rank < ranks; rank++) {
      world.jobFaults().loseLines(key, rank);
    }
    simulation.at(
        simulation.now().plusSeconds(40 + random.nextInt(120)),
        () -> {
          if (world.jobs().find(key.toString()).isPresent()) {
            for (int rank = 0; rank < ranks; rank++) {
              world.jobFaults().findLines(key, rank);
            }
          }
        });
  }

  private static boolean isTrue(JobObject job) {
    return job.setup().traces() == Traces.TRUE;
  }
}
