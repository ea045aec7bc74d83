package dev.rekindle.simulator.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rekindle.api.SaveEconomics;
import dev.rekindle.cli.UsageException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class ResultTest {
  private static final Duration WALL = Duration.ofDays(6);

  private static Result replay(List<Outage> outages) throws UsageException {
    return Replay.run(Given.plan(3, 2, outages, WALL), World.REKINDLE, (Duration _) -> {});
  }

  @Test
  void shouldSplitAllThatDidNotTrainAndAdvise() throws UsageException {
    Result result = replay(Given.random(5, Duration.ofHours(12), Duration.ofHours(2), WALL));
    assertThat(result.account().stops().size()).isGreaterThan(3);

    Duration sum = result.badput().values().stream().reduce(Duration.ZERO, Duration::plus);
    assertThat(sum.toMillis() / 1000.0)
        .isCloseTo(WALL.minus(result.productiveTime()).toMillis() / 1000.0, within(30.0));
    // The slowest rank takes 4 minutes at most, then the checkpoint is read in one.
    assertThat(result.badput().get("programStartup"))
        .isBetween(
            Duration.ofMinutes(4).multipliedBy(result.account().stops().size()),
            Duration.ofMinutes(5).multipliedBy(result.account().stops().size()));
    SaveEconomics figures = Objects.requireNonNull(result.advice().orElseThrow().figures());
    assertThat(figures.secondsApart()).isEqualTo(1_800);
    assertThat(figures.bestSecondsApart()).isLessThan(1_800);
    assertThat(figures.ettr()).isCloseTo(result.ettr(), within(0.02));
    assertThat(figures.bestEttr()).isGreaterThan(figures.ettr());
    assertThat(result.advice().orElseThrow().text()).startsWith("saves every 30 min; every ");
  }

  @Test
  void shouldAdviseNothingWhereNothingFailed() throws UsageException {
    Result result = replay(List.of());

    assertThat(result.advice()).isEmpty();
  }
}
