package dev.rekindle.controller.economics;

import static dev.rekindle.controller.economics.JobTimeTest.at;
import static dev.rekindle.controller.economics.JobTimeTest.blocked;
import static dev.rekindle.controller.economics.JobTimeTest.cause;
import static dev.rekindle.controller.economics.JobTimeTest.status;
import static dev.rekindle.controller.economics.JobTimeTest.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rekindle.api.FormerRun;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.TrainingTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/** Random recoveries of a job. */
class JobTimePropertyTest {

  /** Whatever clocks say, no part is negative, all parts are no more than the whole. */
  @RepeatedTest(100)
  void shouldNeverSplitMoreThanThereIs(RepetitionInfo repetition) {
    Random random = new Random(repetition.getCurrentRepetition());
    List<RecoveryStatus> history = new ArrayList<>();
    TrainingTime before = null;
    for (int i = 0; i < 8; i++) {
      FormerRun run =
          new FormerRun(
              maybe(random),
              maybe(random),
              random.nextBoolean() ? null : blocked(random.nextInt(5_000)));
      RecoveryStatus status =
          status(
              random.nextInt(3) == 0 ? RecoveryPhase.FAILED : RecoveryPhase.RECOVERED,
              cause(maybe(random), random.nextInt(4) == 0 ? null : run),
              random.nextInt(10_000),
              random.nextInt(10_000),
              random.nextInt(10_000));
      TrainingTime time =
          JobTime.ended(
              history,
              status,
              at(random.nextInt(10_000)),
              at(random.nextInt(10_000)),
              random.nextInt(9_000) - 500);
      makesSense(time);
      if (before != null) {
        assertThat(time.since()).isEqualTo(before.since());
        assertThat(time.until()).isAfterOrEqualTo(before.until());
        assertThat(time.failures()).isEqualTo(before.failures() + 1);
      }
      boolean mended = status.phase() == RecoveryPhase.RECOVERED;
      history.add(mended ? with(status, time) : status);
      before = mended ? time : before;
      JobTime.now(history, List.of(), List.of(), at(random.nextInt(20_000)))
          .ifPresent(JobTimePropertyTest::makesSense);
    }
  }

  private static void makesSense(TrainingTime time) {
    double parts =
        time.infrastructureRecoverySeconds()
            + time.programStartupSeconds()
            + time.wastedProgressSeconds()
            + time.checkpointSaveSeconds();
    assertThat(parts).isBetween(0.0, time.wallSeconds() + 1e-6);
    assertThat(time.productiveSeconds() + parts).isCloseTo(time.wallSeconds(), within(1e-6));
    assertThat(time.ettr()).isBetween(0.0, 1.0);
  }

  private static @Nullable Instant maybe(Random random) {
    return random.nextInt(4) == 0 ? null : at(random.nextInt(10_000));
  }
}
