package dev.rekindle.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.SteadyClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class WatchLivenessTest {
  private Duration passed = Duration.ZERO;
  private final WatchLiveness liveness = new WatchLiveness(SteadyClock.of(() -> passed.toNanos()));

  private void pass(Duration time) {
    passed = passed.plus(time);
  }

  @Test
  void shouldCountFromTheNewestEventOrBookmark() {
    liveness.saw("7");
    pass(WatchLiveness.SILENT);
    assertThat(liveness.isSilent()).isFalse();
    liveness.saw("8");
    pass(WatchLiveness.SILENT);
    assertThat(liveness.age()).isEqualTo(WatchLiveness.SILENT);
    assertThat(liveness.isSilent()).isFalse();
  }

  @Test
  void shouldBeSilentOnceWhereTheVersionStandsForTooLong() {
    liveness.saw("7");
    pass(WatchLiveness.SILENT.dividedBy(2));
    liveness.saw("7");
    pass(WatchLiveness.SILENT.dividedBy(2).plusSeconds(1));
    assertThat(liveness.isSilent()).isTrue();
    assertThat(liveness.isSilent()).as("begun anew").isFalse();
    pass(WatchLiveness.SILENT.plusSeconds(1));
    assertThat(liveness.isSilent()).isTrue();
  }
}
