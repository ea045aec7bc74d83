package dev.rekindle.simulator.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.model.Policy;
import dev.rekindle.simulator.Given;
import dev.rekindle.simulator.Simulation;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What the training operator does for a job beside a controller of ours. */
class OperatorTest {
  /** Its user asks for fewer while its pods are made (seed 94416698). */
  @Test
  void shouldDeleteThePodsBeyondTheReplicasOfTheirJob() {
    try (Simulation simulation =
        Simulation.of(Given.cluster(4, Policy.DEFAULT, 0, Given.job().setup()))) {
      simulation.runFor(Duration.ofSeconds(30));
      assertThat(simulation.pods(Given.KEY)).hasSize(3);

      simulation.world().resize(simulation.world().jobs().get(Given.KEY.toString()), 2);
      simulation.runFor(Duration.ofSeconds(60));

      assertThat(simulation.pods(Given.KEY))
          .extracting(pod -> pod.role() + "-" + pod.index())
          .containsExactlyInAnyOrder("master-0", "worker-0");
    }
  }
}
