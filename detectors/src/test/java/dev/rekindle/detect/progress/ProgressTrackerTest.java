package dev.rekindle.detect.progress;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProgressTrackerTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private static Instant at(long second) {
    return START.plusSeconds(second);
  }

  /** Steps printed one a second, from second 0. */
  private static Progress after(long... steps) {
    var tracker = new ProgressTracker();
    for (int i = 0; i < steps.length; i++) {
      tracker.step(at(i), steps[i]);
    }
    return tracker.progress();
  }

  @Test
  void shouldHaveNothingWhenNoStepWasSeen() {
    assertThat(after()).isEqualTo(new Progress(0, null, null, null, null));
  }

  @Test
  void shouldKeepFirstAndLastWhenStepsGrow() {
    assertThat(after(51, 52, 60)).isEqualTo(new Progress(0, 51L, at(0), 60L, at(2)));
  }

  @ParameterizedTest
  @CsvSource({
    "'5 5 5 5 5 5',5,0", // several processes, or one that repeats itself
    "'5 4 4 4 4 4',5,0",
    "'5 4 3 2 1 0',5,0",
    "'8 7 8 7 9 8 9 8',9,4", // two processes a step apart
    "'8 5 6 9 5 6',9,3", // what was lower does not add up over real progress
    "'8 5 6 7',7,3", // started again inside the container
    "'8 5 6 5 6 7',7,5",
    "'80 51 52 53 54',54,4"
  })
  void shouldDistinguishProgressFromRepetitionWhenStepsDoNotGrow(
      String steps, long last, long since) {
    var printed =
        java.util.Arrays.stream(steps.split(" ", -1)).mapToLong(Long::parseLong).toArray();
    var progress = after(printed);
    assertThat(progress.lastStep()).isEqualTo(last);
    assertThat(progress.lastStepTime()).isEqualTo(at(since));
    assertThat(progress.firstStep()).isEqualTo(printed[0]);
  }

  @Test
  void shouldStartOverWhenContainerRunsAgain() {
    var tracker = new ProgressTracker();
    tracker.step(at(0), 80);
    tracker.run(1);
    assertThat(tracker.progress()).isEqualTo(Progress.begin(1));
    tracker.step(at(9), 51);
    tracker.run(1);
    assertThat(tracker.progress()).isEqualTo(new Progress(1, 51L, at(9), 51L, at(9)));
  }

  @Test
  void shouldNeverMoveTimeWithoutAStepWhenPrintedStepsAreRandom() {
    var random = new Random(5);
    for (int round = 0; round < 500; round++) {
      var tracker = new ProgressTracker();
      var before = tracker.progress();
      for (int second = 0; second < 100; second++) {
        tracker.step(at(second), random.nextInt(20));
        var now = tracker.progress();
        var moved = !java.util.Objects.equals(now.lastStep(), before.lastStep());
        assertThat(java.util.Objects.equals(now.lastStepTime(), at(second))).isEqualTo(moved);
        before = now;
      }
    }
  }
}
