package dev.rekindle.detect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ShortDurationTest {
  @ParameterizedTest
  @CsvSource({"250ms,250", "5s,5000", "90s,90000", "10m,600000", "1h30m,5400000", "1m0s5ms,60005"})
  void shouldReadWhenTextIsADuration(String text, long millis) {
    assertThat(ShortDuration.parse(text)).isEqualTo(Duration.ofMillis(millis));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "5", "s", "-5s", "5 s", "1.5h", "5d", "9999999999s", "10001h", "5S"})
  void shouldRefuseWhenTextIsNone(String text) {
    assertThatThrownBy(() -> ShortDuration.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + text + "'");
  }
}
