package dev.rekindle.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;

class TimeLeftTest {
  private static final Instant UNTIL = Instant.parse("2026-11-28T12:00:00Z");

  private static boolean skipped(Instant now) {
    return new TimeLeft(UNTIL, InstantSource.fixed(now)).result().isDisabled();
  }

  @Test
  void shouldSkipWhatWouldBeginTooLate() {
    assertThat(skipped(UNTIL.minusSeconds(1))).isFalse();
    assertThat(skipped(UNTIL)).isTrue();
    assertThat(skipped(UNTIL.plusSeconds(3600))).isTrue();
  }

  @Test
  void shouldSkipNothingWithoutALimit() {
    assertThat(new TimeLeft().result().isDisabled()).isFalse();
  }
}
