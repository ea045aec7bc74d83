package dev.rekindle.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RestartWay;
import dev.rekindle.api.ResumeAttempt;
import dev.rekindle.api.ResumeResult;
import dev.rekindle.controller.model.Policy;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A program that ends at each start, without a line that says why, where kubelets restart it. */
class SimulatedCrashLoopTest {
  private final SimulatedJob run =
      new SimulatedJob(
          Given.job().training(Duration.ofSeconds(2), 10, Duration.ofSeconds(1)), Policy.DEFAULT);

  @AfterEach
  void close() {
    run.close();
  }

  private Instant begin(int starts) {
    run.until(() -> run.step() > 45);
    run.levers().rankDiesAtStart(Given.KEY, 1, starts);
    run.levers().gpuLost("node-1");
    return run.now();
  }

  @Test
  void shouldEndAnAttemptInACrashLoopLongBeforeItsTimeToStartIsOver() {
    Instant begun = begin(1_000);
    run.until(() -> run.phase() != null);
    run.until(() -> run.only().resumes().size() == 1);

    ResumeAttempt attempt = run.only().resumes().getFirst();
    assertThat(attempt.result()).isEqualTo(ResumeResult.CRASHED);
    assertThat(attempt.detail()).contains("again and again");
    assertThat(Duration.between(begun, run.now()))
        .isBetween(Duration.ofSeconds(60), Policy.DEFAULT.start().dividedBy(3));
  }

  /**
   * Its gangs never begin to train, and are starts from the checkpoint all the same: after two an
   * older one is taken, in place or rebuilt, and the invariants allow it.
   */
  @ParameterizedTest
  @EnumSource
  void shouldTakeAnOlderCheckpointAfterTwoGangsThatNeverBegan(RestartWay first) {
    run.until(() -> run.step() > 45);
    run.levers().rankDiesAtStart(Given.KEY, 1, 1_000);
    if (first == RestartWay.IN_PLACE) {
      run.levers().gpuLost("node-1");
    } else {
      run.levers().rankDies(Given.KEY, 1, 1);
    }
    run.until(() -> run.phase() == RecoveryPhase.VERIFYING);
    assertThat(Objects.requireNonNull(run.only().plan()).restart()).isEqualTo(first);
    run.until(() -> run.only().resumes().size() == 3);

    assertThat(run.only().resumes())
        .extracting(ResumeAttempt::result)
        .containsOnly(ResumeResult.CRASHED);
    assertThat(run.only().resumes()).extracting(ResumeAttempt::step).containsExactly(40L, 40L, 30L);
  }

  /** A worker may not reach its master at first. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void shouldLetAGangStartThatFailsAFewTimes(int starts) {
    var _ = begin(starts);
    run.untilOver();

    RecoveryStatus status = run.only();
    assertThat(status.phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(status.resumes()).isEmpty();
    assertThat(status.attempt()).isEqualTo(1);
    assertThat(Objects.requireNonNull(status.outcome()).resume()).isEqualTo(ResumeResult.PROVEN);
  }
}
