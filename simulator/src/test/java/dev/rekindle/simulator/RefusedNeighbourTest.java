package dev.rekindle.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.simulator.process.Answers.Answer;
import dev.rekindle.simulator.process.Answers.Call;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is refused to one job keeps no other one waiting. */
class RefusedNeighbourTest {
  private static final JobKey REFUSED = new JobKey("team", "refused");
  private static final JobKey OTHER = new JobKey("team", "other");

  /** A recovery takes some 20 s here; the same bound holds for each kind of call. */
  private static final Duration BOUND = Duration.ofSeconds(60);

  static Stream<Call> callsOfJobs() {
    return Arrays.stream(Call.values()).filter(call -> !call.ofNodes());
  }

  @ParameterizedTest
  @MethodSource("callsOfJobs")
  void shouldRecoverTheOtherJobInTime(Call call) {
    try (Simulation simulation =
        Simulation.of(
            Given.cluster(
                4,
                Policy.DEFAULT,
                2,
                Given.job().named("refused").ranks(1, 8).setup(),
                Given.job().named("other").ranks(1, 8).setup()))) {
      simulation.runFor(Duration.ofSeconds(20));
      simulation
          .fleet()
          .answers()
          .add(new Answer(Set.of(call), REFUSED, 403, "no", Duration.ZERO, null));

      lose(simulation, REFUSED);
      simulation.runFor(Duration.ofSeconds(5));
      lose(simulation, OTHER);
      boolean done = simulation.runUntil(() -> isRecovered(simulation), BOUND);

      assertThat(done).as("recovered within " + BOUND).isTrue();
      assertThat(simulation.fleet().failures()).isEmpty();
    }
  }

  private static void lose(Simulation simulation, JobKey job) {
    simulation.levers().gpuLost(simulation.pods(job).getFirst().node());
  }

  private static boolean isRecovered(Simulation simulation) {
    return simulation.recoveries(OTHER).stream()
        .map(RecoveryView::status)
        .anyMatch(s -> Objects.nonNull(s) && s.phase() == RecoveryPhase.RECOVERED);
  }
}
