package dev.rekindle.simulator.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SpansTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0, 0 s, 0.0 s",
    "0s, 0, 0 s, 0.0 s",
    "90s, 90000, 1 min 30 s, 90 s",
    "0.25s, 250, 0.25 s, 0.3 s",
    "30m, 1800000, 30 min, 30.0 min",
    "1h30m, 5400000, 1 h 30 min, 90.0 min",
    "2d, 172800000, 2 d, 2.0 d",
    "1d1h1m1s, 90061000, 1 d 1 h 1 min 1 s, 25.0 h",
  })
  void shouldReadAndWrite(String text, long millis, String exact, String rough) throws Refusal {
    Duration duration = Spans.parse(text);
    assertThat(duration).isEqualTo(Duration.ofMillis(millis));
    assertThat(Spans.exact(duration)).isEqualTo(exact);
    assertThat(Spans.rough(duration)).isEqualTo(rough);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "5", "m", "-5m", "5 m", "5m1h", "1.5h", "1e3s", "99999999999s"})
  void shouldRefuseAnythingElse(String text) {
    assertThatThrownBy(() -> Spans.parse(text)).isInstanceOf(Refusal.class);
  }
}
