package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.process.Answers.Answer;
import dev.rekindle.simulator.process.Answers.Call;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.SimEvent.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Calls of one kind for one job that fail for some minutes, as behind a webhook that does not
 * answer: long enough that a recovery is held for it, and over in time that it goes on.
 */
final class LongOutages extends DisturbanceSource {
  private static final int SEEDS = 9;
  private static final int STATUS = 503;
  private static final String SAYS = "failed calling webhook: context deadline exceeded";
  private static final Duration LEAST = Duration.ofSeconds(190);
  private static final int MORE_SECONDS = 120;

  private static final List<Call> CALLS =
      List.of(
          Call.SUSPEND,
          Call.RESUME,
          Call.LIVE_PODS,
          Call.DELETE_POD,
          Call.START_INSPECTOR,
          Call.INSPECT,
          Call.ORDER,
          Call.REVIVE);

  private int underWay;

  LongOutages(Simulation simulation, RandomGenerator random, Tenants.Listener listener) {
    super(simulation, random, listener);
  }

  /** In the calm, when nothing else fails, and a rank of the job ends a moment later. */
  void plan(Instant to) {
    if (random.nextInt(SEEDS) == 0) {
      underWay++;
      simulation.at(to.plusMillis(1 + random.nextInt(60_000)), this::begin);
    }
  }

  /** Whether calls fail, or will. */
  boolean unfinished() {
    return underWay > 0;
  }

  private void begin() {
    underWay--;
    List<JobObject> jobs = world.jobs().list();
    if (jobs.isEmpty()) {
      return;
    }
    JobKey job = jobs.get(random.nextInt(jobs.size())).key();
    Call call = CALLS.get(random.nextInt(CALLS.size()));
    Duration lasts = LEAST.plusSeconds(random.nextInt(MORE_SECONDS));
    // Of a permanent one the checks know, until it is removed.
    Answer answer = new Answer(EnumSet.of(call), job, STATUS, SAYS, Duration.ZERO, null);
    listener.did(
        Disturbance.LONG_OUTAGE, job.toString(), "%s fails for minutes".formatted(call.name()));
    simulation.fleet().answers().add(answer);
    world.jobFaults().die(job, random.nextInt(2), 1);
    underWay++;
    simulation.at(
        simulation.now().plus(lasts),
        () -> {
          underWay--;
          simulation.fleet().answers().remove(answer);
          world.emit(Kind.FAULT, job.toString(), call.name() + " works again");
        });
  }
}
