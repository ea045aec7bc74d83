package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.Policy;
import dev.rekindle.simulator.Given;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.process.Reconcilers;
import dev.rekindle.simulator.process.WriteObserver;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;

/** Four nodes with one job and no controller, and the invariants that watch them. */
abstract class WatchedCluster {
  final Simulation simulation =
      Simulation.of(
          Given.cluster(4, Policy.DEFAULT, 0, Given.job().setup()),
          Reconcilers.REAL,
          new WriteObserver() {});

  final Invariants invariants =
      new Invariants(
          simulation.world(),
          Policy.DEFAULT,
          simulation.fleet().answers(),
          simulation::now,
          Duration.ofSeconds(1));

  @AfterEach
  void close() {
    simulation.close();
  }
}
