package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.Poison;
import dev.rekindle.simulator.world.TrainingProgress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * In a share of the seeds the newest two or three checkpoints of a job are unusable, for different
 * reasons or for the same one. A rank ends at that moment, so that the job has to resume from them.
 */
final class SpentCheckpoints extends DisturbanceSource {
  private static final int SEEDS = 3;
  private static final int MOST_STRIKES = 4;
  private static final int LEAST_POISONED = 2;
  private static final Duration AGAIN = Duration.ofSeconds(3);

  private static final List<Poison> ALL = List.of(Poison.values());

  SpentCheckpoints(Simulation simulation, RandomGenerator random, Tenants.Listener listener) {
    super(simulation, random, listener);
  }

  /** Plans it all for the time between those two. */
  void plan(Instant from, Instant to) {
    calm = to;
    if (random.nextInt(SEEDS) == 0) {
      RandomTimes.plan(simulation, random, from, to, MOST_STRIKES, this::strike);
    }
  }

  /** Whether it trains, and has a checkpoint to go back to. */
  private boolean hasSaved(JobObject job) {
    TrainingProgress training = world.gang(job.meta().uid()).training();
    long newest = training.storage().newestValid(simulation.now());
    return training.moving()
        && newest > 0
        && training.storage().newestValidBefore(newest, simulation.now()) < newest;
  }

  private void strike() {
    List<JobObject> jobs =
        world.jobs().list().stream()
            .filter(job -> job.optIn().equals(new OptIn.Yes(Mode.AUTO)))
            .filter(this::hasSaved)
            .toList();
    if (jobs.isEmpty()) {
      if (simulation.now().plus(AGAIN).isBefore(calm)) {
        simulation.at(simulation.now().plus(AGAIN), this::strike);
      }
      return;
    }
    JobKey job = jobs.get(random.nextInt(jobs.size())).key();
    Poison poison = ALL.get(random.nextInt(ALL.size()));
    int count = LEAST_POISONED + random.nextInt(2);
    boolean mixed = random.nextBoolean();
    int rank = random.nextInt(2);
    boolean ofDevice = random.nextInt(3) == 0;
    for (int before = 0; before < count; before++) {
      Poison one = mixed ? ALL.get(random.nextInt(ALL.size())) : poison;
      listener.did(
          Disturbance.CHECKPOINT_POISONED,
          job.toString(),
          "the checkpoint that is %d before its newest: %s".formatted(before, one));
      world.jobFaults().poisonCheckpoint(job, one, before);
    }
    fail(job, rank, ofDevice);
  }

  private void fail(JobKey job, int rank, boolean ofDevice) {
    Optional<String> node =
        world.podsOf(job).stream().map(PodObject::node).filter(n -> !n.isEmpty()).findFirst();
    if (ofDevice && node.isPresent()) {
      simulation.levers().gpuLost(node.get());
    } else {
      simulation.levers().rankDies(job, rank, 1);
    }
  }
}
