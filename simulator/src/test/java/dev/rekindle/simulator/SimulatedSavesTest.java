package dev.rekindle.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus.Outcome;
import dev.rekindle.api.SaveEconomics;
import dev.rekindle.api.TrainingTime;
import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.Reason;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is said of the saves of a job that runs, and what its failures have cost it. */
class SimulatedSavesTest {
  private static final int STEP_SECONDS = 2;

  private final SimulatedJob run =
      new SimulatedJob(
          Given.job().training(Duration.ofSeconds(STEP_SECONDS), 10, Duration.ofSeconds(1)),
          Policy.DEFAULT);

  @AfterEach
  void close() {
    run.close();
  }

  private List<ClusterEvent> overdue() {
    return run.announced().stream()
        .filter(said -> said.reason() == Reason.CHECKPOINT_OVERDUE)
        .toList();
  }

  private Outcome outcome() {
    return Objects.requireNonNull(run.only().outcome());
  }

  @Test
  void shouldSayThatASaveIsOverdueOnceTheyFail() {
    run.until(() -> run.step() > 55);
    run.levers().failSaves(Given.KEY);
    run.until(() -> run.step() >= 69);
    assertThat(overdue()).as("twice the interval is not over").isEmpty();
    run.until(() -> run.step() > 80);

    assertThat(overdue()).hasSize(1);
    assertThat(overdue().getFirst().note())
        .startsWith("no checkpoint since step 50: ")
        .contains("one came every 10 steps");
    run.runFor(Duration.ofMinutes(4));
    assertThat(overdue()).as("not said again in each reconcile").hasSize(1);
  }

  @Test
  void shouldSayNothingOfAJobThatSavesThroughRecoveries() {
    run.until(() -> run.step() > 55);
    run.levers().gpuLost("node-1");
    run.untilOver();
    long step = run.step();
    run.until(() -> run.step() > step + 100);

    assertThat(overdue()).isEmpty();
  }

  @Test
  void shouldAddUpTheTimeOfTheJob() {
    run.until(() -> run.step() > 105);
    run.levers().gpuLost("node-1");
    run.untilOver();

    assertThat(run.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
    TrainingTime time = Objects.requireNonNull(outcome().time());
    assertThat(time.failures()).isOne();
    assertThat(time.ettr()).isBetween(0.3, 0.99);
    assertThat(time.infrastructureRecoverySeconds()).isPositive();
    assertThat(time.programStartupSeconds()).isPositive();
    assertThat(time.checkpointSaveSeconds()).isEqualTo(10);
    // What is true: the steps up to the pinned checkpoint were made once, and no step beyond it.
    long kept = Objects.requireNonNull(outcome().resumedStep());
    assertThat(time.productiveSeconds())
        .isCloseTo(kept * (double) STEP_SECONDS, within(4.0 * STEP_SECONDS));
    SaveEconomics figures = outcome().saving();
    assertThat(figures).as("one failure is no record").isNull();
    assertThat(outcome().advice()).startsWith("saves every 21 s; not enough data on failures");
  }
}
