package dev.rekindle.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.SteadyClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class WatchLivenessTest {
  private Duration passed = Duration.ZERO;
  private final WatchLiveness pulse = new WatchLiveness(SteadyClock.of(() -> passed.toNanos()));

  private void pass(Duration time) {
    passed = passed.plus(time);
  }

  @Test
  void shouldCountFromTheNewestEventOrBookmark() {
    pulse.saw("7");
    pass(WatchLiveness.SILENT);
    assertThat(pulse.isSilent()).isFalse();
    pulse.saw("8");
    pass(WatchLiveness.SILENT);
    assertThat(pulse.age()).isEqualTo(WatchLiveness.SILENT);
    assertThat(pulse.isSilent()).isFalse();
  }

  @Test
  void shouldBeSilentOnceWhereTheVersionStandsForTooLong() {
    pulse.saw("7");
    pass(WatchLiveness.SILENT.dividedBy(2));
    pulse.saw("7");
    pass(WatchLiveness.SILENT.dividedBy(2).plusSeconds(1));
    assertThat(pulse.isSilent()).isTrue();
    assertThat(pulse.isSilent()).as("begun anew").isFalse();
    pass(WatchLiveness.SILENT.plusSeconds(1));
    assertThat(pulse.isSilent()).isTrue();
  }
}
