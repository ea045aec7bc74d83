package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.RankView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StepTimesTest {
  private static RankView rank(
      @Nullable Long first, @Nullable Long last, Instant from, Instant to) {
    return Given.ranks(gang(""), 1L, T0, T0)
        .getFirst()
        .with(b -> b.firstStep(first).lastStep(last).firstStepTime(from).lastStepTime(to));
  }

  private static RankView rank(long steps, Duration time) {
    return rank(1_000L, 1_000 + steps, T0, T0.plus(time));
  }

  @Test
  void shouldDivideTheTimeOfARunByItsSteps() {
    assertThat(StepTimes.secondsPerStep(List.of(rank(200, Duration.ofSeconds(250)))))
        .hasValue(1.25);
  }

  @Test
  void shouldTakeTheRankWithTheMostSteps() {
    List<RankView> ranks =
        List.of(rank(150, Duration.ofSeconds(900)), rank(200, Duration.ofSeconds(200)));
    assertThat(StepTimes.secondsPerStep(ranks)).hasValue(1);
  }

  @Test
  void shouldSayNothingOfFewSteps() {
    assertThat(StepTimes.secondsPerStep(List.of(rank(99, Duration.ofSeconds(99))))).isEmpty();
    assertThat(StepTimes.secondsPerStep(List.of(rank(null, null, T0, T0)))).isEmpty();
    assertThat(StepTimes.secondsPerStep(List.of())).isEmpty();
  }

  /** Stamps are a node's, and steps a tenant's. */
  @Test
  void shouldBearClocksThatWereSetAndStepsThatWereForged() {
    assertThat(StepTimes.secondsPerStep(List.of(rank(200, Duration.ofSeconds(-5))))).isEmpty();
    assertThat(
            StepTimes.secondsPerStep(List.of(rank(0L, Long.MAX_VALUE, Instant.MIN, Instant.MAX))))
        .isPresent();
    assertThat(StepTimes.secondsPerStep(List.of(rank(Long.MIN_VALUE, Long.MAX_VALUE, T0, T0))))
        .isEmpty();
  }

  @Test
  void shouldCompareWithBeforeWhereBothAreKnown() {
    List<RankView> ranks = List.of(rank(100, Duration.ofSeconds(130)));
    assertThat(StepTimes.ratio(1.0, ranks)).hasValue(1.3);
    assertThat(StepTimes.ratio(null, ranks)).isEmpty();
    assertThat(StepTimes.ratio(0.0, ranks)).isEmpty();
    assertThat(StepTimes.ratio(1.0, List.of())).isEmpty();
  }
}
