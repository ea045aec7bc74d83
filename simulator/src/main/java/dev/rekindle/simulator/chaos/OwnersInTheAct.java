package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.RecoveryObject;
import java.time.Instant;
import java.util.random.RandomGenerator;

/**
 * Owners who resume their job themselves while a recovery has it suspended: whose gang it then is,
 * the recovery has to see.
 */
final class OwnersInTheAct extends DisturbanceSource {
  private static final int SEEDS = 12;
  private static final int MOMENT_MILLIS = 1_500;

  OwnersInTheAct(Simulation simulation, RandomGenerator random, Tenants.Listener listener) {
    super(simulation, random, listener);
  }

  /** In one of twelve seeds, until that time. */
  void plan(Instant to) {
    calm = to;
    if (random.nextInt(SEEDS) == 0) {
      world.recoveries().watch(this::moved);
    }
  }

  private void moved(Change<RecoveryObject> change) {
    RecoveryObject before = change.before();
    RecoveryObject after = change.after();
    if (before != null
        && after != null
        && !isCalm()
        && phase(before) != phase(after)
        && (phase(after) == RecoveryPhase.PLANNING || phase(after) == RecoveryPhase.RESUMING)
        && random.nextBoolean()) {
      String job = after.view().job().toString();
      simulation.at(
          simulation.now().plusMillis(random.nextInt(MOMENT_MILLIS)),
          () -> world.jobs().find(job).ifPresent(this::resume));
    }
  }

  private static RecoveryPhase phase(RecoveryObject recovery) {
    RecoveryStatus status = recovery.status();
    return status == null || status.phase() == null ? RecoveryPhase.DETECTED : status.phase();
  }

  private void resume(JobObject job) {
    if (job.suspend() && !job.suspendedBy().isEmpty() && !isCalm()) {
      listener.did(
          Disturbance.RESUMED_IN_THE_ACT, job.key().toString(), "its user resumes it by himself");
      var _ = world.jobs().patch(job.meta().key(), j -> j.withSuspend(false, j.suspendedBy()));
    }
  }
}
