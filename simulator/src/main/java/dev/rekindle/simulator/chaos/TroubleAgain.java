package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.RecoveryObject;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A job that fails again after each recovery: its program fails, or hangs, some seconds or a minute
 * later. This happens a few times, also when everything else is calm by then.
 */
final class TroubleAgain extends DisturbanceSource {
  private static final int SEEDS = 8;
  private static final int MOST = 6;

  private String uid = "";
  private boolean hangs;
  private int left = MOST;

  TroubleAgain(Simulation simulation, RandomGenerator random, Tenants.Listener listener) {
    super(simulation, random, listener);
  }

  /** In one of eight seeds, with the first job that is brought back. */
  void plan() {
    if (random.nextInt(SEEDS) == 0) {
      hangs = random.nextInt(3) == 0;
      world.recoveries().watch(this::moved);
    }
  }

  private void moved(Change<RecoveryObject> change) {
    RecoveryObject after = change.after();
    boolean over = after != null && isRecovered(after.status());
    boolean was = change.before() != null && isRecovered(change.before().status());
    if (after == null || !over || was || left == 0) {
      return;
    }
    uid = uid.isEmpty() ? after.spec().jobUid() : uid;
    if (after.spec().jobUid().equals(uid)) {
      left--;
      JobKey job = after.view().job();
      simulation.at(simulation.now().plusMillis(2_000 + random.nextInt(60_000)), () -> strike(job));
    }
  }

  private static boolean isRecovered(@Nullable RecoveryStatus status) {
    return status != null
        && status.phase() == RecoveryPhase.RECOVERED
        && status.comeBacks() == null;
  }

  private void strike(JobKey job) {
    boolean there =
        simulation
            .world()
            .jobs()
            .find(job.toString())
            .filter(j -> j.meta().uid().equals(uid))
            .isPresent();
    if (!there) {
      return;
    }
    int rank = random.nextInt(2);
    listener.did(
        Disturbance.TROUBLE_AGAIN,
        job.toString(),
        "rank %d %s again".formatted(rank, hangs ? "hangs" : "fails"));
    if (hangs) {
      world.jobFaults().hang(job, rank);
    } else {
      world.jobFaults().die(job, rank, random.nextBoolean() ? 137 : 1);
    }
  }
}
