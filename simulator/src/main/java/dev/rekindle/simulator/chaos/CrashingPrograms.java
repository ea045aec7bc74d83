package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.World;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * In a share of the seeds, programs that crash at each start for a while: a rank ends, and so do
 * its next starts, often enough that its kubelet pauses between them for minutes. In the calm they
 * start.
 */
final class CrashingPrograms {
  private static final int SEEDS = 10;
  private static final int LEAST_STARTS = 4;
  private static final int MOST_STARTS = 12;

  /** An exception of Python, an abort of a library. */
  private static final List<Integer> CODES = List.of(1, 1, 134);

  private final Simulation simulation;
  private final World world;
  private final RandomGenerator random;
  private final Tenants.Listener listener;
  private final Set<Crashing> crashing = new LinkedHashSet<>();

  private record Crashing(JobKey job, int rank) {}

  CrashingPrograms(Simulation simulation, RandomGenerator random, Tenants.Listener listener) {
    this.simulation = simulation;
    this.world = simulation.world();
    this.random = random;
    this.listener = listener;
  }

  /** Plans it all for the time between those two. */
  void plan(Instant from, Instant to) {
    if (random.nextInt(SEEDS) == 0) {
      RandomTimes.plan(simulation, random, from, to, 3, this::crash);
      simulation.at(to, this::mend);
    }
  }

  private void crash() {
    List<JobObject> jobs = world.jobs().list();
    if (jobs.isEmpty()) {
      return;
    }
    JobKey job = jobs.get(random.nextInt(jobs.size())).key();
    int rank = random.nextInt(2);
    int starts = LEAST_STARTS + random.nextInt(MOST_STARTS - LEAST_STARTS + 1);
    int code = CODES.get(random.nextInt(CODES.size()));
    listener.did(
        Disturbance.PROGRAM_CRASHES,
        job.toString(),
        "rank %d crashes with code %d, and at its next %d starts".formatted(rank, code, starts));
    crashing.add(new Crashing(job, rank));
    world.jobFaults().failStarts(job, rank, starts, code);
    world.jobFaults().die(job, rank, code);
  }

  private void mend() {
    for (Crashing program : crashing) {
      if (world.jobs().find(program.job().toString()).isPresent()) {
        world.jobFaults().failStarts(program.job(), program.rank(), 0, 0);
      }
    }
  }
}
