package dev.rekindle.detect.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.LoggedSaves;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

/** Saves, and how long they take. */
class SaveTrackerTest extends SaveTrackerFixture {
  @Test
  void shouldKnowNothingBeforeTheFirstSave() {
    train(100);
    assertThat(tracker.saves()).isEmpty();
  }

  @Test
  void shouldMeasureIntervalAndDurationOfSavesThatStopTheTraining() {
    for (int i = 0; i < 4; i++) {
      train(50);
      says(SaveLine.BEGINS);
      waits(10);
      says(SaveLine.OVER);
    }
    train(1);

    assertThat(saves())
        .isEqualTo(
            new LoggedSaves(
                4, 200L, T0.plusSeconds(240), 3, 60.0, 60.0, 50L, 10.0, false, 40, null));
  }

  @Test
  void shouldReportASaveAtOnceWhenItIsOver() {
    train(50);
    says(SaveLine.BEGINS);
    waits(3);
    assertThat(saves().saves()).isZero();
    assertThat(saves().begun()).isEqualTo(T0.plusSeconds(50));
    says(SaveLine.OVER);
    assertThat(saves().saves()).isOne();
    assertThat(saves().time()).isEqualTo(T0.plusSeconds(53));
    assertThat(saves().step()).isEqualTo(50);
    assertThat(saves().begun()).isNull();
  }

  @Test
  void shouldCountLinesOfOneSaveOnce() {
    for (int i = 0; i < 2; i++) {
      train(10);
      for (int file = 0; file < 3; file++) {
        says(SaveLine.BEGINS);
        waits(2);
        says(SaveLine.OVER);
      }
    }
    train(1);
    assertThat(saves().saves()).isEqualTo(2);
    assertThat(saves().secondsLong()).isEqualTo(6);
    assertThat(saves().secondsApart()).isEqualTo(16);
  }

  @Test
  void shouldNotBlameASaveInTheBackground() {
    train(50);
    says(SaveLine.BEGINS);
    train(1);
    says(SaveLine.OVER);
    for (int i = 0; i < 3; i++) {
      train(50);
      says(SaveLine.BEGINS);
      train(20);
      assertThat(saves().begun()).isNotNull();
      says(SaveLine.OVER);
    }

    assertThat(saves().background()).isTrue();
    assertThat(saves().secondsLong()).isEqualTo(20);
    assertThat(saves().blockedSeconds()).isZero();
    assertThat(saves().saves()).isEqualTo(4);
  }

  @Test
  void shouldTakeASaveForOverWhenStepsContinueAndNoEndIsEverSaid() {
    for (int i = 0; i < 3; i++) {
      train(20);
      says(SaveLine.BEGINS);
      waits(5);
    }
    train(1);
    assertThat(saves().saves()).isEqualTo(3);
    assertThat(saves().secondsApart()).isEqualTo(25);
    assertThat(saves().secondsLong()).isNull();
    assertThat(saves().blockedSeconds()).isZero();
  }

  /** Whatever lines come in whatever order, no figure is negative or makes no sense. */
  @RepeatedTest(50)
  void shouldMakeSenseOfAnyLines(RepetitionInfo repetition) {
    Random random = new Random(repetition.getCurrentRepetition());
    int said = 0;
    for (int i = 0; i < 500; i++) {
      switch (random.nextInt(6)) {
        case 0 -> says(SaveLine.BEGINS);
        case 1 -> {
          says(SaveLine.OVER);
          said++;
        }
        case 2 -> waits(random.nextInt(100) - 20);
        case 3 -> tracker.run();
        case 4 -> step = step == null ? null : Long.valueOf(Math.max(0, step - 5));
        default -> train(random.nextInt(5));
      }
      LoggedSaves saves = tracker.saves().orElse(null);
      if (saves != null) {
        assertThat(saves.intervals()).isBetween(0, Math.max(0, saves.saves() - 1));
        assertThat(saves.blockedSeconds()).isNotNegative();
        assertThat(saves.secondsApart() == null).isEqualTo(saves.intervals() == 0);
        if (saves.secondsApart() != null) {
          assertThat(saves.secondsApart()).isPositive();
          assertThat(saves.longestSeconds()).isGreaterThanOrEqualTo(saves.secondsApart());
        }
      }
    }
    assertThat(said).isPositive();
  }
}
