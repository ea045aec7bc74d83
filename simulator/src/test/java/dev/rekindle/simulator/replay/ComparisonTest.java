package dev.rekindle.simulator.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.cli.UsageException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which runs a comparison takes. */
final class ComparisonTest {
  @Test
  void shouldReplayTheUsualTimeOfResponseOnce() throws UsageException {
    Plan plan = Given.plan(2, 0, List.of(), Duration.ofHours(1));

    Comparison comparison = Comparison.of(plan, List.of(Duration.ZERO, plan.respond()), _ -> {});

    assertThat(Comparison.runs(plan, List.of(Duration.ZERO, plan.respond()))).hasSize(4);
    assertThat(comparison.curve().getLast()).isSameAs(comparison.in(World.PERSON));
    assertThat(comparison.curve())
        .extracting(result -> result.plan().respond())
        .containsExactly(Duration.ZERO, plan.respond());
  }
}
