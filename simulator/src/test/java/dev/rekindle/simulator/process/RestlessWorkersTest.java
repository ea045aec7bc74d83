package dev.rekindle.simulator.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.model.Policy;
import dev.rekindle.simulator.Given;
import dev.rekindle.simulator.Simulation;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Between two events no virtual time passes: a controller that never rests must not stop it. */
class RestlessWorkersTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private static Simulation simulation(Duration again) {
    return Simulation.of(
        Given.cluster(1, Policy.DEFAULT, 2),
        (_, _, _, _) -> new Reconcilers(_ -> Optional.empty(), _ -> Optional.of(again)),
        new WriteObserver() {});
  }

  @Test
  void shouldEndAProcessThatReconcilesOverAndOverAtOneMoment() {
    try (Simulation simulation = simulation(Duration.ZERO)) {
      simulation.runFor(MINUTE);

      assertThat(simulation.fleet().failures())
          .isNotEmpty()
          .allSatisfy(failed -> assertThat(failed).hasMessageContaining("none of them rests"));
    }
  }

  @Test
  void shouldLetAProcessReconcileOftenThatRests() {
    try (Simulation simulation = simulation(Duration.ofMillis(5))) {
      simulation.runFor(MINUTE);

      assertThat(simulation.fleet().failures()).isEmpty();
    }
  }
}
