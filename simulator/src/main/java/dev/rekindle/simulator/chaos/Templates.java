package dev.rekindle.simulator.chaos;

import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.setup.JobSetup;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.RecoveryObject;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * Edits of owners in the templates of their replicas, in mid-run and in mid-recovery: image and
 * command (another speed, and other checkpoints), environment, grace period, GPUs. The operator
 * creates new pods from it and leaves existing ones unchanged.
 */
final class Templates extends DisturbanceSource {
  /** What a node has, and more than that. */
  private static final int GPUS = 8;

  private static final int TOO_MANY_GPUS = 2 * GPUS;

  /** By UID of a job, the GPUs of a rank that its owner first requested. */
  private final Map<String, Integer> gpus = new HashMap<>();

  Templates(Simulation simulation, RandomGenerator random, Tenants.Listener listener) {
    super(simulation, random, listener);
  }

  /** Plans it all for the time between those two. */
  void plan(Instant from, Instant to) {
    calm = to;
    if (random.nextInt(3) > 0) {
      return;
    }
    RandomTimes.plan(simulation, random, from, to, 3, this::strike);
    if (random.nextBoolean()) {
      midway(6, key -> world.jobs().find(key).ifPresent(this::edit));
    }
  }

  private void strike() {
    List<JobObject> jobs = world.jobs().list();
    if (!jobs.isEmpty()) {
      edit(jobs.get(random.nextInt(jobs.size())));
    }
  }

  private void edit(JobObject job) {
    if (isCalm()) {
      return;
    }
    if (random.nextInt(5) == 0) {
      writeEnvironmentAnew(job);
      return;
    }
    JobSetup now = job.setup();
    int first = gpus.computeIfAbsent(job.meta().uid(), _ -> asked(job));
    JobSetup next =
        switch (random.nextInt(5)) {
          case 0 -> now.withGpusPerRank(now.gpusPerRank() == first ? TOO_MANY_GPUS : first);
          case 1 -> now.withGraceSeconds(2 + random.nextInt(29));
          default ->
              now.running(Duration.ofMillis(50 + random.nextInt(400)), 10 + random.nextInt(90));
        };
    boolean midway = recovering(job);
    listener.did(
        midway ? Disturbance.TEMPLATE_EDITED_MIDWAY : Disturbance.TEMPLATE_EDITED,
        job.key().toString(),
        "its user edits the template: %d GPUs, %d s of grace, steps of %d ms"
            .formatted(next.gpusPerRank(), next.graceSeconds(), next.step().toMillis()));
    world.edit(job, next);
  }

  /** As a tool does that holds jobs to what is in Git: lists are replaced, annotations stay. */
  private void writeEnvironmentAnew(JobObject job) {
    listener.did(
        recovering(job) ? Disturbance.ENVIRONMENT_EDITED_MIDWAY : Disturbance.ENVIRONMENT_EDITED,
        job.key().toString(),
        "its user writes the environment of the template anew, without our variables");
    world.jobs().patch(job.meta().key(), j -> j.with(j.template().withOwnEnvironment()));
  }

  /** One that was copied, or submitted again, may have come with too many. */
  private static int asked(JobObject job) {
    return Math.min(GPUS, job.setup().gpusPerRank());
  }

  private boolean recovering(JobObject job) {
    for (RecoveryObject recovery : world.recoveries().all()) {
      if (recovery.open() && recovery.view().job().equals(job.key())) {
        return true;
      }
    }
    return false;
  }

  /** No template requests what no node has. */
  void calm() {
    for (JobObject job : world.jobs().list()) {
      int first = gpus.getOrDefault(job.meta().uid(), asked(job));
      if (job.setup().gpusPerRank() != first) {
        listener.did(
            Disturbance.TEMPLATE_EDITED,
            job.key().toString(),
            "its user takes back what no node has");
        world.edit(job, job.setup().withGpusPerRank(first));
      }
    }
  }
}
