package dev.rekindle.simulator.chaos;

import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Instant;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/** Something that goes wrong though nothing is broken, drawn from the seed until all is calm. */
abstract class DisturbanceSource {
  private static final int MIDWAY_MILLIS = 2_000;

  final Simulation simulation;
  final World world;
  final RandomGenerator random;
  final Tenants.Listener listener;

  /** From when on nothing more goes wrong. */
  Instant calm = Instant.MAX;

  DisturbanceSource(Simulation simulation, RandomGenerator random, Tenants.Listener listener) {
    this.simulation = simulation;
    this.world = simulation.world();
    this.random = random;
    this.listener = listener;
  }

  /** Whether nothing more goes wrong. */
  final boolean isCalm() {
    return !simulation.now().isBefore(calm);
  }

  /** Does it to the job of a recovery, soon after one of so many writes of recoveries. */
  final void midway(int writes, Consumer<String> strike) {
    world
        .recoveries()
        .watch(
            change -> {
              RecoveryObject after = change.after();
              if (after != null && !isCalm() && random.nextInt(writes) == 0) {
                String job = after.view().job().toString();
                simulation.at(
                    simulation.now().plusMillis(random.nextInt(MIDWAY_MILLIS)),
                    () -> strike.accept(job));
              }
            });
  }
}
