package dev.rekindle.simulator.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values worked out by hand at the rate of Llama 3, a stop every 185.6 minutes. */
class RenewalTest {
  @ParameterizedTest
  @CsvSource({"15, 738, 0.90", "30, 234, 0.90", "30, 768, 0.86", "15, 312, 0.93", "0.1, 342, 0.97"})
  void shouldGiveTheKnownRatios(double interval, long stop, double ettr) {
    assertThat(
            Result.renewal(
                Duration.ofSeconds(11_136),
                Duration.ofSeconds(stop),
                Duration.ofSeconds(Math.round(interval * 60)),
                Duration.ZERO))
        .isCloseTo(ettr, within(0.005));
  }
}
