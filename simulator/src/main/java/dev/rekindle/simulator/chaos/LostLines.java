package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.world.JobObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Agents that read no new line of one rank for a while, as its log was rotated, or because the
 * runtime holds its lines back: its step does not change in their reports while its gang trains on.
 */
final class LostLines extends DisturbanceSource {
  LostLines(Simulation simulation, RandomGenerator random, Tenants.Listener listener) {
    super(simulation, random, listener);
  }

  /** Plans it all for the time between those two. */
  void plan(Instant from, Instant to) {
    if (random.nextInt(4) == 0) {
      long window = Duration.between(from, to).toMillis();
      simulation.at(from.plusMillis(random.nextLong(window)), this::strike);
    }
  }

  private void strike() {
    List<JobObject> jobs = world.jobs().list();
    if (jobs.isEmpty()) {
      return;
    }
    JobKey job = jobs.get(random.nextInt(jobs.size())).key();
    int rank = random.nextInt(2);
    listener.did(
        Disturbance.LINES_UNREAD, job.toString(), "lines of rank " + rank + " are not read");
    world.jobFaults().loseLines(job, rank);
    Instant again = simulation.now().plusSeconds(30 + random.nextInt(90));
    simulation.at(
        again,
        () -> {
          if (world.jobs().find(job.toString()).isPresent()) {
            world.jobFaults().findLines(job, rank);
          }
        });
  }
}
