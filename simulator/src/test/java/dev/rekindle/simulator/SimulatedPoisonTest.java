package dev.rekindle.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.ResumeAttempt;
import dev.rekindle.api.ResumeResult;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.simulator.world.Poison;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Checkpoints that no scan from outside finds fault with, and from which the job does not train.
 */
class SimulatedPoisonTest {
  /** Steps so slow that a gang saves nothing new while it is watched. */
  private SimulatedJob run = new SimulatedJob(slow(), Policy.DEFAULT);

  @AfterEach
  void close() {
    run.close();
  }

  private static Given.Job slow() {
    return Given.job().training(Duration.ofSeconds(2), 10, Duration.ofSeconds(1));
  }

  private static Plan plan(RecoveryStatus status) {
    return Objects.requireNonNull(status.plan());
  }

  private static long pinned(RecoveryStatus status) {
    return Objects.requireNonNull(Objects.requireNonNull(plan(status).checkpoint()).step());
  }

  private boolean said(Reason reason) {
    return run.announced().stream().anyMatch(said -> said.reason() == reason);
  }

  @ParameterizedTest
  @CsvSource({
    "DOES_NOT_LOAD, 1, LOAD_ERROR",
    "GIVES_NAN, 1, LOSS_NOT_FINITE",
    "STARTS_OVER, 2, FROM_ZERO",
  })
  void shouldGoBackOneCheckpointAfterFewCyclesOnAPoisonedOne(
      Poison poison, int cycles, ResumeResult result) {
    run.until(() -> run.step() > 45);
    run.levers().poisonNewestCheckpoints(Given.KEY, poison, 1);
    run.levers().gpuLost("node-1");
    run.untilOver();

    RecoveryStatus status = run.only();
    assertThat(status.phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(status.resumes()).extracting(ResumeAttempt::result).containsOnly(result);
    assertThat(status.resumes()).hasSize(cycles).extracting(ResumeAttempt::step).containsOnly(40L);
    assertThat(pinned(status)).isEqualTo(30);
    assertThat(Objects.requireNonNull(status.outcome()).resume()).isEqualTo(ResumeResult.PROVEN);
    assertThat(said(Reason.RESUME_FAILED)).isTrue();
    assertThat(said(Reason.CHECKPOINT_REJECTED)).isTrue();
    assertThat(plan(status).avoidedNodes()).as("no node is blamed").isEmpty();
    assertThat(run.nodes()).filteredOn(NodeView::unschedulable).hasSize(1);
    long step = run.step();
    run.until(() -> run.step() > step + 50);
    assertThat(run.only().phase()).isEqualTo(RecoveryPhase.RECOVERED);
  }

  /** The kubelets start it again, and what it takes by itself does not load (decision 0172). */
  @Test
  void shouldNotLeaveAGangToKubeletsThatCannotLoadWhatItTakes() {
    run.until(() -> run.step() > 45);
    run.levers().poisonNewestCheckpoints(Given.KEY, Poison.DOES_NOT_LOAD, 1);
    for (int rank = 0; rank < 3; rank++) {
      run.levers().rankDies(Given.KEY, rank, 1);
    }
    run.untilOver();

    RecoveryStatus status = run.only();
    assertThat(Objects.requireNonNull(status.cause()).reason()).isEqualTo("CheckpointNotLoaded");
    assertThat(status.resumes())
        .singleElement()
        .satisfies(
            before -> {
              assertThat(before.attempt()).isEqualTo(ResumeAttempt.BEFORE);
              assertThat(before.result()).isEqualTo(ResumeResult.LOAD_ERROR);
            });
    assertThat(status.attempt()).as("none is spent on it").isEqualTo(1);
    assertThat(pinned(status)).isEqualTo(30);
    assertThat(Objects.requireNonNull(status.outcome()).resume()).isEqualTo(ResumeResult.PROVEN);
    assertThat(said(Reason.CHECKPOINT_REJECTED)).isTrue();
    assertThat(Objects.requireNonNull(status.outcome()).downtimeSeconds())
        .as("less than kubelets are given")
        .isLessThan((double) Policy.DEFAULT.kubeletRestart().toSeconds());
  }

  /** The kubelets bring it back by themselves, and it takes the newest one, which gives NaN. */
  @Test
  void shouldGoBackWhereKubeletsHaveRestartedTheGangIntoNaN() {
    run.until(() -> run.step() > 45);
    run.levers().poisonNewestCheckpoints(Given.KEY, Poison.GIVES_NAN, 1);
    for (int rank = 0; rank < 3; rank++) {
      run.levers().rankDies(Given.KEY, rank, 1);
    }
    run.untilOver(2);

    RecoveryStatus status = run.newest();
    assertThat(Objects.requireNonNull(status.cause()).reason()).isEqualTo("LossNotFinite");
    assertThat(status.cause().beforeStep()).isEqualTo(40);
    assertThat(pinned(status)).isEqualTo(30);
    assertThat(Objects.requireNonNull(status.outcome()).resume()).isEqualTo(ResumeResult.PROVEN);
    long step = run.step();
    run.until(() -> run.step() > step + 50);
  }

  /** What was saved with NaN is no better, and a job that keeps few has nothing else left. */
  @Test
  void shouldStopWhenOnlyCheckpointsAreLeftThatWereSavedWithNaN() {
    run.close();
    run = new SimulatedJob(Given.job(), Policy.DEFAULT);
    run.until(() -> run.step() > 45);
    run.levers().poisonNewestCheckpoints(Given.KEY, Poison.GIVES_NAN, 1);
    run.levers().gpuLost("node-1");
    run.until(() -> run.phase() == RecoveryPhase.HELD);
    assertThat(run.only().timeline().getLast().detail())
        .contains("the loss is NaN", "no older checkpoint is tried: there is none");
    assertThat(run.only().resumes()).hasSize(1);
  }

  @Test
  void shouldStopWhenTheOneBeforeDoesNotLoadEitherAndLeaveTheRestToAPerson() {
    run.until(() -> run.step() > 45);
    run.levers().poisonNewestCheckpoints(Given.KEY, Poison.DOES_NOT_LOAD, 4);
    run.levers().gpuLost("node-1");
    run.until(() -> run.phase() == RecoveryPhase.HELD);

    RecoveryStatus held = run.only();
    assertThat(held.timeline().getLast().detail())
        .startsWith("CrashLoop: ")
        .contains("PytorchStreamReader failed");
    assertThat(held.resumes()).extracting(ResumeAttempt::step).isEqualTo(List.of(40L, 30L));
    assertThat(run.suspended()).isTrue();
    int reconciles = run.reconciles();
    run.runFor(Duration.ofMinutes(10));
    assertThat(run.only().resumes()).as("nothing more is tried").hasSize(2);
    assertThat(run.reconciles() - reconciles).isLessThan(200);
    run.levers().resume(Given.KEY);
    run.until(() -> run.phase() == RecoveryPhase.CANCELLED);
    assertThat(run.suspended()).isFalse();
  }
}
