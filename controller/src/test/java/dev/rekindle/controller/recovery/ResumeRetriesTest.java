package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.recovery.Decisions.entered;
import static dev.rekindle.controller.recovery.InPlaceScene.ME;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static dev.rekindle.controller.recovery.RecoverySnapshots.snapshot;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.ResumeAttempt;
import dev.rekindle.api.ResumeResult;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is done about a restart that failed. */
class ResumeRetriesTest extends ResumeFailuresFixture {
  @ParameterizedTest
  @CsvSource({"1, CRASHED, node-1", "16, INTERRUPTED, ''", "17, CRASHED, node-1"})
  void shouldAskTheExitCodeWhatAFailedPodMeans(int code, ResumeResult result, String node) {
    List<PodView> gang = new ArrayList<>(RecoverySnapshots.broken(1));
    gang.set(1, gang.get(1).withFailure(new PodView.Failure("ExitCode", false, "exit code", code)));
    ResumeAttempt attempt =
        failed(
            decide(
                job().restart(dev.rekindle.controller.model.JobView.RestartPolicy.NEVER),
                gang,
                ranks(gang, null, null)));
    assertThat(attempt.result()).isEqualTo(result);
    assertThat(attempt.node()).isEqualTo(node);
  }

  @Test
  void shouldNotTryAgainWhatAsksNeverToBeRestarted() {
    List<PodView> gang = new ArrayList<>(RecoverySnapshots.broken(1));
    gang.set(1, gang.get(1).withFailure(new PodView.Failure("ExitCode", false, "", 93)));
    Decision decision =
        decide(
            job().restart(dev.rekindle.controller.model.JobView.RestartPolicy.NEVER),
            gang,
            ranks(gang, null, null));
    assertThat(entered(decision)).isEqualTo(RecoveryPhase.CANCELLED);
    assertThat(reasons(decision)).containsExactly(Reason.RESTART_FORBIDDEN);
  }

  @Test
  void shouldGoBackOneCheckpointFromOneThatDidNotLoad() {
    Decision decision = plan(List.of(40L, 30L, 20L), attempt(40, ResumeResult.LOAD_ERROR));
    assertThat(entered(decision)).isEqualTo(RecoveryPhase.RESUMING);
    Plan next = Objects.requireNonNull(((Decision.Move) decision).next().plan());
    assertThat(Objects.requireNonNull(next.checkpoint()).step()).isEqualTo(30);
    assertThat(Objects.requireNonNull(next.checkpoint().rollBack()).from()).isEqualTo(40);
    assertThat(next.avoidedNodes()).as("no node is blamed").isEmpty();
    assertThat(reasons(decision))
        .containsExactly(Reason.CHECKPOINT_REJECTED, Reason.CHECKPOINT_PINNED);
    assertThat(Objects.requireNonNull(next.saves()).stepsApart()).isEqualTo(10);
  }

  @Test
  void shouldTryTheSameOneOnOtherNodesAfterOneCrash() {
    Decision decision = plan(List.of(40L, 30L), attempt(40, ResumeResult.CRASHED));
    Plan next = Objects.requireNonNull(((Decision.Move) decision).next().plan());
    assertThat(Objects.requireNonNull(next.checkpoint()).step()).isEqualTo(40);
    assertThat(next.avoidedNodes()).containsExactly("node-1");
  }

  @Test
  void shouldStopWhenNoOlderOneIsLeftAndStaySo() {
    Decision decision = plan(List.of(40L), attempt(40, ResumeResult.LOAD_ERROR));
    assertThat(entered(decision)).isEqualTo(RecoveryPhase.HELD);
    RecoveryStatus held = ((Decision.Move) decision).next();
    assertThat(HoldReason.of(held)).contains(HoldReason.CRASH_LOOP);
    assertThat(held.timeline().getLast().detail())
        .startsWith("CrashLoop: the job failed once from the checkpoint of step 40")
        .contains("set spec.runPolicy.suspend to false");
    RecoverySnapshot after =
        snapshot(job().suspended(ME, true), held, List.of(), List.of(), 1)
            .withInspection(new Inspection.Report(9, List.of(valid(40)), ""));
    assertThat(RecoveryMachine.decide(after, Policy.DEFAULT, NOW))
        .isInstanceOfSatisfying(
            Decision.Act.class,
            act -> assertThat(act.effects()).containsExactly(new Effect.StopInspector()));
  }
}
