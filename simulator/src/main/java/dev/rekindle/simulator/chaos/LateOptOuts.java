package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.RecoveryObject;
import java.time.Instant;
import java.util.random.RandomGenerator;

/**
 * Owners who opt out at the moment when their job is stopped: after the decision, before the call
 * arrives. Some opt in again.
 */
final class LateOptOuts extends DisturbanceSource {
  private static final int MOMENT_MILLIS = 400;

  LateOptOuts(Simulation simulation, RandomGenerator random, Tenants.Listener listener) {
    super(simulation, random, listener);
  }

  /** In one of eight seeds, until that time. */
  void plan(Instant to) {
    calm = to;
    if (random.nextInt(8) == 0) {
      world.recoveries().watch(this::moved);
    }
  }

  private void moved(Change<RecoveryObject> change) {
    RecoveryObject before = change.before();
    RecoveryObject after = change.after();
    if (before != null
        && after != null
        && !isCalm()
        && isDraining(after)
        && !isDraining(before)
        && random.nextBoolean()) {
      JobKey job = after.view().job();
      simulation.at(simulation.now().plusMillis(random.nextInt(MOMENT_MILLIS)), () -> optOut(job));
    }
  }

  private static boolean isDraining(RecoveryObject recovery) {
    return recovery.status() != null && recovery.status().phase() == RecoveryPhase.DRAINING;
  }

  private void optOut(JobKey key) {
    JobObject job = world.jobs().find(key.toString()).orElse(null);
    if (job == null || !(job.optIn() instanceof OptIn.Yes wish)) {
      return;
    }
    listener.did(
        Disturbance.OPTED_OUT_IN_THE_ACT,
        key.toString(),
        "its user opts out as it is to be stopped");
    set(key, job.meta().uid(), new OptIn.No());
    Instant again = simulation.now().plusSeconds(5 + random.nextInt(60));
    if (again.isBefore(calm)) {
      simulation.at(again, () -> set(key, job.meta().uid(), wish));
    }
  }

  private void set(JobKey key, String uid, OptIn wish) {
    if (simulation
        .world()
        .jobs()
        .find(key.toString())
        .filter(job -> job.meta().uid().equals(uid))
        .isPresent()) {
      var _ = world.jobs().patch(key.toString(), j -> j.with(wish));
    }
  }
}
