package dev.rekindle.agent.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.LoggedSaves;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class SaveRhythmTest {
  private static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");

  private static final LoggedSaves KNOWN =
      new LoggedSaves(9, 900L, T0, 8, 60.0, 70.0, 100L, 5.0, false, 45, null);

  private static final Instant NOW = T0.plusSeconds(90);

  private static LoggedSaves begun(LoggedSaves saves, Instant time) {
    return new LoggedSaves(
        saves.saves(),
        saves.step(),
        saves.time(),
        saves.intervals(),
        saves.secondsApart(),
        saves.longestSeconds(),
        saves.longestSteps(),
        saves.secondsLong(),
        saves.background(),
        saves.blockedSeconds(),
        time);
  }

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
    assertThat(both.saves()).isEqualTo(9);
    assertThat(both.secondsLong()).isEqualTo(5);
  }

  /** An agent may read a log from its end, and come to the newest save later. */
  @Test
  void shouldKeepTheNewerSaveOfTheEarlierAgent() {
    LoggedSaves both = SaveRhythm.goingOn(KNOWN, seen(1, T0.minusSeconds(60)), true);

    assertThat(both.time()).isEqualTo(T0);
    assertThat(both.step()).isEqualTo(900);
  }

  @Test
  void shouldTakeTheOwnIntervalsWhereTheyAreMore() {
    LoggedSaves little = begun(seen(1, T0), T0);
    LoggedSaves more = begun(seen(2, T0.plusSeconds(60)), NOW);
    LoggedSaves both = SaveRhythm.goingOn(little, more, true);

    assertThat(both.intervals()).isEqualTo(2);
    assertThat(both.saves()).isEqualTo(3);
    assertThat(both.begun()).as("what is under way is seen by the present one").isEqualTo(NOW);
  }

  @Test
  void shouldCountTheTimeThatItHasSeenItself() {
    LoggedSaves first = seen(0, T0);
    LoggedSaves own = new LoggedSaves(2, 900L, T0, 1, 60.0, 70.0, 100L, 5.0, false, 99, null);
    assertThat(SaveRhythm.goingOn(first, own, true).blockedSeconds()).isEqualTo(99);
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
