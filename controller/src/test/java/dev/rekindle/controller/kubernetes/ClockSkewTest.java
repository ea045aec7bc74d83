package dev.rekindle.controller.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClockSkewTest {
  private static final Instant THEIRS = Instant.parse("2026-11-22T14:00:00Z");
  private static final String DATE = "Sun, 22 Nov 2026 14:00:00 GMT";

  @ParameterizedTest
  @CsvSource({"500, 0", "0, -500", "90500, 90000", "-3599500, -3600000"})
  void shouldSayHowFarItIsAhead(long oursMillis, long aheadMillis) {
    ClockSkew skew = new ClockSkew(() -> THEIRS.plusMillis(oursMillis));

    skew.heard(List.of(DATE));

    assertThat(skew.last()).contains(Duration.ofMillis(aheadMillis));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "now", "Sun, 32 Nov 2026 14:00:00 GMT", "2026-11-22T14:00:00Z"})
  void shouldKeepWhatItKnowsWhereAnAnswerSaysNothing(String date) {
    ClockSkew skew = new ClockSkew(() -> THEIRS.plusMillis(500));
    skew.heard(List.of(date));
    assertThat(skew.last()).isEmpty();

    skew.heard(List.of(DATE));
    skew.heard(List.of(date));
    skew.heard(List.of());
    skew.heard(List.of("Sun, 22 Nov 2026 13:00:00 GMT", DATE));

    assertThat(skew.last()).contains(Duration.ZERO);
  }

  @Test
  void shouldKnowNothingBeforeTheFirstAnswer() {
    assertThat(new Circuits(() -> false).clockSkew()).isEmpty();
  }
}
