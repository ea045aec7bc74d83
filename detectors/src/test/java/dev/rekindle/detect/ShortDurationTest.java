package dev.rekindle.detect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ShortDurationTest {
  @ParameterizedTest
  @CsvSource({
    "0,0",
    "0s,0",
    "250ms,250",
    "0.25s,250",
    "1.5s,1500",
    "5s,5000",
    "90s,90000",
    "10m,600000",
    "1h30m,5400000",
    "30m1h,5400000",
    "1m0s5ms,60005",
    "2d,172800000",
    "1d1h1m1s,90061000"
  })
  void shouldReadWhenTextIsADuration(String text, long millis) {
    assertThat(ShortDuration.parse(text)).isEqualTo(Duration.ofMillis(millis));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "5",
        "00",
        "s",
        "-5s",
        "+5s",
        "5 s",
        " 5s",
        "5s ",
        "1.5h",
        "1.5ms",
        "1.2345s",
        ".5s",
        "1.s",
        "1e3s",
        "5w",
        "5s5",
        "9999999999s",
        "10001h",
        "417d",
        "999999999d",
        "5S",
        "\u0665s"
      })
  void shouldRefuseWhenTextIsNone(String text) {
    assertThatThrownBy(() -> ShortDuration.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + text + "'");
  }
}
