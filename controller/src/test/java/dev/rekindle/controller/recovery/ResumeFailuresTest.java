package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.recovery.Decisions.entered;
import static dev.rekindle.controller.recovery.InPlaceScene.ME;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.LoadErrorKind;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RankReportStatus.LoadError;
import dev.rekindle.api.RankReportStatus.Loss;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.ResumeAttempt;
import dev.rekindle.api.ResumeResult;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.Reason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Restarts that do not resume from the checkpoint that was pinned. */
class ResumeFailuresTest extends ResumeFailuresFixture {
  @Test
  void shouldTryAgainAtOnceWhenTrainingBeganFromZero() {
    List<PodView> gang = gang(ME + "-1");
    Decision decision = decide(job(), gang, ranks(gang, 1L, GOOD));
    assertThat(entered(decision)).isEqualTo(RecoveryPhase.DRAINING);
    ResumeAttempt attempt = failed(decision);
    assertThat(attempt.result()).isEqualTo(ResumeResult.FROM_ZERO);
    assertThat(attempt.step()).isEqualTo(20);
    assertThat(attempt.reached()).isEqualTo(1);
    assertThat(attempt.detail()).contains("a restart from zero");
    assertThat(reasons(decision)).containsExactly(Reason.RESUME_FAILED, Reason.ATTEMPT_FAILED);
  }

  @Test
  void shouldTryAgainWhenTheLossStaysNaNAndWaitWhileThatIsNotSure() {
    List<PodView> gang = gang(ME + "-1");
    Decision sure = decide(job(), gang, ranks(gang, 21L, new Loss(null, 3)));
    assertThat(failed(sure).result()).isEqualTo(ResumeResult.LOSS_NOT_FINITE);
    assertThat(decide(job(), gang, ranks(gang, 21L, new Loss(null, 1))))
        .isInstanceOf(Decision.Wait.class);
  }

  @ParameterizedTest
  @CsvSource({
    "21, 2.0, PROVEN, JOB_RECOVERED, True",
    "15, 2.0, BEHIND, RESUME_DOUBTFUL, True",
    "40, 2.0, AHEAD, RESUME_DOUBTFUL, True",
    "21, 9.0, LOSS_FAR, RESUME_DOUBTFUL, True",
  })
  void shouldSayWhatAGangThatTrainsHasResumedFrom(
      long first, double loss, ResumeResult result, Reason reason, String resumed) {
    List<PodView> gang = gang(ME + "-1");
    Decision decision = decide(job(), gang, ranks(gang, first, new Loss(loss, 0)));
    assertThat(entered(decision)).isEqualTo(RecoveryPhase.RECOVERED);
    RecoveryStatus next = ((Decision.Move) decision).next();
    assertThat(Objects.requireNonNull(next.outcome()).resume()).isEqualTo(result);
    assertThat(reasons(decision)).contains(reason, Reason.JOB_RECOVERED);
    assertThat(next.conditions())
        .anySatisfy(
            c -> {
              assertThat(c.getType()).isEqualTo("Resumed");
              assertThat(c.getStatus()).isEqualTo(resumed);
            });
  }

  @Test
  void shouldRejectACheckpointThatDoesNotLoadOnceItsContainerHasEnded() {
    List<PodView> gang = new ArrayList<>(gang(ME + "-1"));
    List<RankView> ranks = new ArrayList<>(ranks(gang, null, null));
    LoadError line =
        new LoadError(LoadErrorKind.ARCHIVE, "PytorchStreamReader failed", 0, NOW.minusSeconds(1));
    ranks.set(1, ranks.get(1).withLoadError(line));
    assertThat(decide(job(), gang, ranks)).as("it may be caught").isInstanceOf(Decision.Wait.class);
    gang.set(1, gang.get(1).withLastExit(NOW));
    ResumeAttempt attempt = failed(decide(job(), gang, ranks));
    assertThat(attempt.result()).isEqualTo(ResumeResult.LOAD_ERROR);
    assertThat(attempt.node()).as("no node is blamed").isEmpty();
  }

  @Test
  void shouldNotTakeExitCodeZeroAtTheStartForAResume() {
    List<PodView> gang = new ArrayList<>(gang(ME + "-1"));
    gang.set(1, gang.get(1).withPhase(PodView.Phase.SUCCEEDED).withLastExit(NOW.minusSeconds(11)));
    Decision decision = decide(job(), gang, ranks(gang, null, null));
    assertThat(failed(decision).result()).isEqualTo(ResumeResult.NO_NEW_STEP);
    gang.set(1, gang.get(1).withLastExit(NOW));
    assertThat(decide(job(), gang, ranks(gang, null, null)))
        .as("reports may be behind")
        .isInstanceOf(Decision.Wait.class);
  }

  /** Its pods stay Running, as the kubelets start their containers again and again. */
  @Test
  void shouldTakeAGangInACrashLoopForACrashOnceItsTimeIsOver() {
    Instant over = NOW.plus(Policy.DEFAULT.start()).plusSeconds(1);
    List<PodView> gang = new ArrayList<>(gang(ME + "-1"));
    for (int i : List.of(0, 1)) {
      gang.set(
          i,
          gang.get(i)
              .withReady(false)
              .withLastExit(over.minusSeconds(60 + i))
              .withFailure(new PodView.Failure("ExitCode", false, "ended with code 1", 1)));
    }
    ResumeAttempt attempt = failed(decide(gang, over));
    assertThat(attempt.result()).isEqualTo(ResumeResult.CRASHED);
    assertThat(attempt.node()).as("of the container that ended first").isEqualTo("node-1");
    assertThat(attempt.detail()).contains("pod demo-worker-0 ended with exit code 1");

    gang.replaceAll(p -> p.withFailure(new PodView.Failure("Signal", false, "killed", null)));
    assertThat(failed(decide(gang, over)).result())
        .as("killed from outside")
        .isEqualTo(ResumeResult.INTERRUPTED);
  }

  private static Decision decide(List<PodView> gang, Instant now) {
    return RecoveryMachine.decide(
        RecoverySnapshots.snapshot(job(), verifying(GOOD), gang, ranks(gang, null, null), 1),
        Policy.DEFAULT,
        now);
  }

  @Test
  void shouldSayThatAJobSucceededWithoutANewStep() {
    List<PodView> gang = gang(ME + "-1");
    Given.Job over = job().succeeded(NOW.minusSeconds(11));
    Decision without = decide(over, gang, ranks(gang, null, null));
    assertThat(entered(without)).isEqualTo(RecoveryPhase.FAILED);
    assertThat(failed(without).result()).isEqualTo(ResumeResult.NO_NEW_STEP);
    assertThat(reasons(without)).contains(Reason.RESUME_FAILED);
    assertThat(entered(decide(over, gang, ranks(gang, 21L, GOOD))))
        .isEqualTo(RecoveryPhase.CANCELLED);
    assertThat(entered(decide(over, gang, List.of())))
        .as("no report: not known")
        .isEqualTo(RecoveryPhase.CANCELLED);
    assertThat(decide(job().succeeded(NOW), gang, ranks(gang, null, null)))
        .isInstanceOf(Decision.Wait.class);
  }

  /** A pod that has landed on a node without the files says nothing of them. */
  @Test
  void shouldNotRejectACheckpointForANodeThatDoesNotHaveIt() {
    List<PodView> gang = new ArrayList<>(gang(ME + "-1"));
    gang.set(1, gang.get(1).withLastExit(NOW));
    List<RankView> ranks = new ArrayList<>(ranks(gang, null, null));
    LoadError line =
        new LoadError(LoadErrorKind.ARCHIVE, "PytorchStreamReader failed", 0, NOW.minusSeconds(1));
    ranks.set(1, ranks.get(1).withLoadError(line));

    assertThat(failed(decide(onNodes("node-0", "node-1"), gang, ranks)).result())
        .isEqualTo(ResumeResult.LOAD_ERROR);
    assertThat(decide(onNodes("node-0", "node-2"), gang, ranks)).isInstanceOf(Decision.Wait.class);
  }

  private static RecoveryStatus onNodes(String... nodes) {
    RecoveryStatus status = verifying(GOOD);
    RecoveryStatus.Plan plan = Objects.requireNonNull(status.plan());
    PinnedCheckpoint pin = Objects.requireNonNull(plan.checkpoint());
    return status.withPlan(
        plan.withCheckpoint(
            new PinnedCheckpoint(
                pin.verdict(),
                pin.path(),
                pin.step(),
                pin.level(),
                "",
                null,
                "torch-save",
                List.of(nodes))));
  }

  private static Decision decide(RecoveryStatus status, List<PodView> gang, List<RankView> ranks) {
    return RecoveryMachine.decide(
        RecoverySnapshots.snapshot(job(), status, gang, ranks, 1), Policy.DEFAULT, NOW);
  }
}
