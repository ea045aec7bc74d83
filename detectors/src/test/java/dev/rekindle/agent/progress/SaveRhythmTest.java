package dev.rekindle.agent.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.LoggedSaves;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class SaveRhythmTest {
  private static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");

  private static final LoggedSaves KNOWN =
      new LoggedSaves(9, 900L, T0, 8, 60.0, 70.0, 100L, 5.0, false, 45, null);

  private static LoggedSaves seen(int intervals, Instant time) {
    Double apart = intervals == 0 ? null : Double.valueOf(30);
    return new LoggedSaves(
        intervals + 1, 1000L, time, intervals, apart, apart, null, 4.0, false, 4, null);
  }

  @Test
  void shouldKeepWhatAnEarlierAgentHasMeasured() {
    assertThat(SaveRhythm.goingOn(KNOWN, null, true)).isEqualTo(KNOWN);
  }

  @Test
  void shouldTakeTheNewestSaveAndTheKnownIntervals() {
    LoggedSaves both = SaveRhythm.goingOn(KNOWN, seen(1, T0.plusSeconds(60)), true);

    assertThat(both.time()).isEqualTo(T0.plusSeconds(60));
    assertThat(both.step()).isEqualTo(1000);
    assertThat(both.secondsApart()).isEqualTo(60);
    assertThat(both.intervals()).isEqualTo(8);
    assertThat(both.blockedSeconds()).isEqualTo(45);
  }

  @Test
  void shouldForgetThemOnceItHasMeasuredEnough() {
    LoggedSaves own = seen(SaveRhythm.ENOUGH, T0.plusSeconds(300));

    assertThat(SaveRhythm.goingOn(KNOWN, own, true)).isEqualTo(own);
  }

  @Test
  void shouldNotChargeAnotherRunWithTheTimeOfTheFormer() {
    assertThat(SaveRhythm.goingOn(KNOWN, seen(0, T0.plusSeconds(60)), false).blockedSeconds())
        .isEqualTo(4);
  }
}
