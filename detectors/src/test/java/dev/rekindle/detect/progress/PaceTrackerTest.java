package dev.rekindle.detect.progress;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class PaceTrackerTest {
  private final PaceTracker tracker = new PaceTracker();
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");

  private void prints(String line) {
    if (tracker.listensForPause() && PauseWords.announce(line)) {
      tracker.pauses();
    }
  }

  private void steps(int count, long millis) {
    for (int i = 0; i < count; i++) {
      now = now.plusMillis(millis);
      tracker.step(now);
    }
  }

  @Test
  void shouldKnowNothingBeforeThereAreIntervals() {
    steps(1, 0);
    assertThat(tracker.pace()).isEqualTo(Pace.NONE);
  }

  @Test
  void shouldMeasureIntervalsAfterTheWarmUpOfARun() {
    steps(1, 0);
    steps(PaceTracker.WARM_UP, 90_000);
    assertThat(tracker.pace()).as("compiles").isEqualTo(new Pace(0, 3, 0, 0, 0, false));
    steps(99, 1_000);
    steps(1, 7_000);
    assertThat(tracker.pace()).isEqualTo(new Pace(100, 103, 1_000, 7_000, 106_000, false));
    steps(1, 7_000);
    assertThat(tracker.pace().p99Millis()).as("two of 101").isEqualTo(7_000);
  }

  @Test
  void shouldForgetWhatItWaitedForARestartButNotWhatItHasLearnt() {
    steps(104, 1_000);
    steps(1, 40_000);
    tracker.run();
    steps(1, 600_000);
    assertThat(tracker.pace()).isEqualTo(new Pace(101, 0, 1_000, 40_000, 140_000, false));
    steps(5, 2_000);
    assertThat(tracker.pace().intervals()).isEqualTo(103);
    assertThat(tracker.pace().ofThisRun()).isEqualTo(5);
    assertThat(tracker.pace().longestMillis()).isEqualTo(40_000);
  }

  @Test
  void shouldTakeNoIntervalFromAClockThatIsSetBack() {
    steps(104, 1_000);
    steps(1, -3_600_000);
    assertThat(tracker.pace().intervals()).isEqualTo(100);
    assertThat(tracker.pace().longestMillis()).isEqualTo(1_000);
    steps(10, 1_000);
    assertThat(tracker.pace().intervals()).isEqualTo(110);
  }

  @Test
  void shouldLearnNothingFromAPauseThatALineAnnounces() {
    steps(104, 1_000);
    prints("Running evaluation");
    steps(1, 300_000);
    assertThat(tracker.pace()).isEqualTo(new Pace(100, 104, 1_000, 1_000, 100_000, false));
    steps(1, 1_000);
    assertThat(tracker.pace().intervals()).isEqualTo(101);
  }

  /** Two million steps: more than any ring holds, and the counters go on. */
  @Test
  void shouldForgetAPauseThatIsLongAgoAndStayBounded() {
    steps(4, 1);
    steps(1, 500_000);
    steps(60_000, 1);
    assertThat(tracker.pace().longestMillis()).isEqualTo(500_000);
    steps(10_000, 1);
    assertThat(tracker.pace().longestMillis()).isEqualTo(1);
    steps(2_000_000, 2);
    assertThat(tracker.pace().intervals()).isBetween(65_536, 131_072);
    assertThat(tracker.pace().p99Millis()).isEqualTo(2);
    assertThat(tracker.pace().longestMillis()).isEqualTo(2);
    steps(1, Long.MAX_VALUE / 4_000_000);
    assertThat(tracker.pace().longestMillis()).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void shouldTakeALineForThePauseUntilTheNextStep() {
    prints("Evaluating");
    assertThat(tracker.pace().pausing()).as("before any step").isFalse();
    steps(1, 0);
    prints("loss is going down");
    assertThat(tracker.pace().pausing()).isFalse();
    prints("***** Running Evaluation *****");
    prints("Num examples = 1000");
    assertThat(tracker.pace().pausing()).isTrue();
    steps(1, 1_000);
    assertThat(tracker.pace().pausing()).isFalse();
    prints("Saving model checkpoint");
    tracker.run();
    assertThat(tracker.pace().pausing()).as("another run").isFalse();
  }

  @Test
  void shouldLearnHowLongNothingMovesWhenSomethingElseMovesBetweenSteps() {
    steps(104, 1_000);
    for (int i = 0; i < 400; i++) {
      now = now.plusSeconds(3);
      tracker.alive(now);
    }
    steps(1, 2_000);
    assertThat(tracker.pace().longestMillis()).as("20 minutes of a bar").isEqualTo(3_000);
    assertThat(tracker.pace().intervals()).isEqualTo(101);
    steps(1, 1_000);
    assertThat(tracker.pace().p99Millis()).isEqualTo(1_000);
  }

  @Test
  void shouldTakeNoIntervalFromStepsThatAreWrittenAtOnce() {
    steps(104, 1_000);
    steps(50, 0);
    assertThat(tracker.pace()).isEqualTo(new Pace(100, 103, 1_000, 1_000, 100_000, false));
  }

  @Test
  void shouldExpectTheNextBurstAfterAsLongAsTheOneBefore() {
    steps(1, 0);
    tracker.burst(java.time.Duration.ofMinutes(27));
    assertThat(tracker.pace()).isEqualTo(new Pace(0, 0, 0, 27 * 60_000, 0, false));
    steps(104, 1_000);
    assertThat(tracker.pace().longestMillis()).isEqualTo(27 * 60_000);
  }
}
