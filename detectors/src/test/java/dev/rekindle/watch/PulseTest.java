package dev.rekindle.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.SteadyClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PulseTest {
  private Duration passed = Duration.ZERO;
  private final Pulse pulse = new Pulse(SteadyClock.of(() -> passed.toNanos()));

  private void pass(Duration time) {
    passed = passed.plus(time);
  }

  @Test
  void shouldCountFromTheNewestEventOrBookmark() {
    pulse.saw("7");
    pass(Pulse.SILENT);
    assertThat(pulse.isSilent()).isFalse();
    pulse.saw("8");
    pass(Pulse.SILENT);
    assertThat(pulse.age()).isEqualTo(Pulse.SILENT);
    assertThat(pulse.isSilent()).isFalse();
  }

  @Test
  void shouldBeSilentOnceWhereTheVersionStandsForTooLong() {
    pulse.saw("7");
    pass(Pulse.SILENT.dividedBy(2));
    pulse.saw("7");
    pass(Pulse.SILENT.dividedBy(2).plusSeconds(1));
    assertThat(pulse.isSilent()).isTrue();
    assertThat(pulse.isSilent()).as("begun anew").isFalse();
    pass(Pulse.SILENT.plusSeconds(1));
    assertThat(pulse.isSilent()).isTrue();
  }
}
