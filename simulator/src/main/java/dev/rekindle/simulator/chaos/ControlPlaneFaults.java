package dev.rekindle.simulator.chaos;

import dev.rekindle.simulator.FaultInjector;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.process.InformerKind;
import dev.rekindle.simulator.process.NetworkFaults;
import java.time.Duration;
import java.time.Instant;
import java.util.random.RandomGenerator;

/** What goes wrong between the controller and the API server. */
final class ControlPlaneFaults {
  private final Simulation simulation;
  private final FaultInjector levers;
  private final RandomGenerator random;

  ControlPlaneFaults(Simulation simulation, RandomGenerator random) {
    this.simulation = simulation;
    this.levers = simulation.levers();
    this.random = random;
  }

  /** For the whole run: how bad the network is, and by how much clocks differ. */
  void plan() {
    if (random.nextInt(3) > 0) {
      double rough = 0.002 + 0.04 * random.nextDouble();
      simulation
          .fleet()
          .weather(
              new NetworkFaults(
                  rough * random.nextDouble(),
                  rough * random.nextDouble(),
                  rough * random.nextDouble() / 2,
                  rough * random.nextDouble(),
                  rough * random.nextDouble(),
                  rough * random.nextDouble() / 2));
    }
    if (random.nextInt(3) == 0) {
      simulation.fleet().skew(Duration.ofMillis(random.nextInt(2_000)));
    }
  }

  /** The API server is unreachable until then. */
  void apiDownUntil(Instant back) {
    simulation.fleet().apiDownUntil(back);
    simulation.world().controlPlane().apiAwayUntil(back);
  }

  /** A process that leads soon after has an old list of the nodes. */
  void oldNodes() {
    simulation
        .fleet()
        .breakWatch(
            InformerKind.NODES,
            Duration.ofMillis(random.nextInt(60_000)),
            Duration.ofMillis(random.nextInt(10_000)));
    simulation.at(simulation.now().plusMillis(random.nextInt(5_000)), levers::controllerDies);
  }

  /** All watches of the controller break off. */
  void breakWatches() {
    simulation
        .fleet()
        .breakWatches(
            Duration.ofMillis(random.nextInt(20_000)), Duration.ofMillis(random.nextInt(10_000)));
  }
}
