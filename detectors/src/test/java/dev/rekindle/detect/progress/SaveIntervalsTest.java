package dev.rekindle.detect.progress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rekindle.api.LoggedSaves;
import java.time.Duration;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

/** How often a job saves. */
class SaveIntervalsTest extends SaveTrackerFixture {
  @Test
  void shouldNotCountASaveThatNeverEndedWhereEndsAreSaid() {
    train(20);
    says(SaveLine.BEGINS);
    says(SaveLine.OVER);
    train(20);
    says(SaveLine.BEGINS);
    train(20);
    says(SaveLine.BEGINS);
    says(SaveLine.OVER);
    train(1);
    assertThat(saves().saves()).isEqualTo(2);
    assertThat(saves().secondsApart()).isEqualTo(40);
  }

  @Test
  void shouldMeasureNoIntervalOverARestart() {
    train(20);
    says(SaveLine.OVER);
    train(20);
    says(SaveLine.BEGINS);
    tracker.run();
    step = 20L;
    waits(600);
    train(20);
    says(SaveLine.OVER);
    train(20);
    says(SaveLine.OVER);
    train(1);
    assertThat(saves().saves()).isEqualTo(3);
    assertThat(saves().intervals()).isOne();
    assertThat(saves().secondsApart()).isEqualTo(20);
  }

  @Test
  void shouldMeasureNoIntervalWhereTrainingWentBack() {
    train(20);
    says(SaveLine.OVER);
    train(1);
    step = 5L;
    train(10);
    says(SaveLine.OVER);
    train(1);
    assertThat(saves().intervals()).isZero();
  }

  @Test
  void shouldDistinguishSavesByTimeWhereNoStepIsSeen() {
    for (int i = 0; i < 3; i++) {
      says(SaveLine.OVER);
      waits(1);
      says(SaveLine.OVER);
      waits(60);
    }

    assertThat(saves().saves()).isEqualTo(3);
    assertThat(saves().secondsApart()).isEqualTo(61);
    assertThat(saves().longestSteps()).isNull();
  }

  /** The rhythm of any trainer that says both ends is found, and the newest five decide. */
  @RepeatedTest(50)
  void shouldFindTheRhythm(RepetitionInfo repetition) {
    Random random = new Random(repetition.getCurrentRepetition());
    int former = 1 + random.nextInt(200);
    int steps = 1 + random.nextInt(200);
    int takes = 1 + random.nextInt(60);
    int formerly = random.nextInt(10);
    int lately = 6 + random.nextInt(5);
    for (int i = 0; i < formerly + lately; i++) {
      train(i < formerly ? former : steps);
      says(SaveLine.BEGINS);
      waits(takes);
      says(SaveLine.OVER);
    }
    train(1);
    LoggedSaves saves = saves();
    assertThat(saves.saves()).isEqualTo(formerly + lately);
    assertThat(saves.intervals()).isEqualTo(formerly + lately - 1);
    assertThat(saves.longestSteps()).isEqualTo(steps);
    assertThat(Objects.requireNonNull(saves.secondsApart())).isCloseTo(steps + takes, within(1e-9));
    assertThat(saves.longestSeconds()).isEqualTo(saves.secondsApart());
    assertThat(saves.secondsLong()).isEqualTo(takes);
    assertThat(saves.blockedSeconds()).isEqualTo((formerly + lately) * (double) takes);
    assertThat(Duration.between(Objects.requireNonNull(saves.time()), now).toSeconds()).isOne();
  }
}
