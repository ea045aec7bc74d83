package dev.rekindle.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.ResumeAttempt;
import dev.rekindle.api.ResumeResult;
import dev.rekindle.controller.model.Policy;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
