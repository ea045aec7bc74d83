package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.RecoveryObject;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A failed upgrade of the agents: no agent runs on any node for some minutes. It begins right after
 * a recovery has started a gang, or right after a recovery has ended and the user of the job starts
 * it again. The gang trains meanwhile, and no report shows it.
 */
final class AgentUpgrade extends DisturbanceSource {
  private static final int SEEDS = 36;

  /** Longer than any gang may take to start. */
  private static final Duration AWAY = Duration.ofSeconds(250);

  private boolean begun;
  private Instant back = Instant.MIN;

  AgentUpgrade(Simulation simulation, RandomGenerator random, Tenants.Listener listener) {
    super(simulation, random, listener);
  }

  /** In one of 36 seeds, with the first recovery that comes so far. */
  void plan() {
    if (random.nextInt(SEEDS) == 0) {
      RecoveryPhase phase =
          random.nextBoolean() ? RecoveryPhase.VERIFYING : RecoveryPhase.RECOVERED;
      world.recoveries().watch(change -> moved(change, phase));
    }
  }

  /** Whether they have yet to come back and report. */
  boolean unfinished() {
    return simulation.now().isBefore(back.plus(Duration.ofSeconds(10)));
  }

  private void moved(Change<RecoveryObject> change, RecoveryPhase phase) {
    RecoveryObject after = change.after();
    if (begun
        || after == null
        || !isIn(after.status(), phase)
        || (change.before() != null && isIn(change.before().status(), phase))) {
      return;
    }
    begun = true;
    back = simulation.now().plus(AWAY);
    listener.did(Disturbance.AGENTS_AWAY, "agents", "an upgrade of theirs fails");
    for (NodeObject node : world.nodes().list()) {
      world.nodeAgents().dies(node.meta().name(), AWAY);
    }
    if (phase == RecoveryPhase.RECOVERED) {
      JobKey job = after.view().job();
      later(1 + random.nextInt(5), job, simulation.levers()::suspend);
      later(10 + random.nextInt(10), job, simulation.levers()::resume);
    }
  }

  private static boolean isIn(@Nullable RecoveryStatus status, RecoveryPhase phase) {
    return status != null && status.phase() == phase && status.comeBacks() == null;
  }

  private void later(int seconds, JobKey job, Consumer<JobKey> then) {
    simulation.at(
        simulation.now().plusSeconds(seconds),
        () -> {
          if (world.jobs().find(job.toString()).isPresent()) {
            then.accept(job);
          }
        });
  }
}
