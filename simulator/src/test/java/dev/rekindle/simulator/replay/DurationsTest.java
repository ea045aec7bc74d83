package dev.rekindle.simulator.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DurationsTest {
  @ParameterizedTest
  @CsvSource({
    "PT0S, 0 s, 0.0 s",
    "PT90S, 1 min 30 s, 90 s",
    "PT0.25S, 0.25 s, 0.3 s",
    "PT30M, 30 min, 30.0 min",
    "PT1H30M, 1 h 30 min, 90.0 min",
    "P2D, 2 d, 2.0 d",
    "P1DT1H1M1S, 1 d 1 h 1 min 1 s, 25.0 h",
  })
  void shouldWriteExactlyAndRoughly(Duration duration, String exact, String rough) {
    assertThat(Durations.exact(duration)).isEqualTo(exact);
    assertThat(Durations.rough(duration)).isEqualTo(rough);
  }
}
