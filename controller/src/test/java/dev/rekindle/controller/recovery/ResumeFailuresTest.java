package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.recovery.Decisions.entered;
import static dev.rekindle.controller.recovery.InPlaceScene.ME;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static dev.rekindle.controller.recovery.RecoverySnapshots.snapshot;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.LoadErrorKind;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RankReportStatus.LoadError;
import dev.rekindle.api.RankReportStatus.Loss;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.RestartWay;
import dev.rekindle.api.ResumeAttempt;
import dev.rekindle.api.ResumeResult;
import dev.rekindle.api.Saves;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.Inspection.Checkpoint;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.Reason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Restarts that do not resume from the checkpoint that was pinned, and what is done about it. */
class ResumeFailuresTest {
  private static final Loss GOOD = new Loss(2.0, 0);

  private static RecoveryStatus verifying(@Nullable Loss before) {
    PinnedCheckpoint pin =
        new PinnedCheckpoint(CheckpointVerdict.VALID, "/ckpt/step-20.pt", 20L, "L3", "");
    Plan plan =
        new Plan(RestartWay.REBUILD, "", List.of(), List.of(), Map.of(), pin)
            .withSaves(new Saves(2, 10, 20, T0, 10L, 60.0));
    RecoveryStatus status = RecoverySnapshots.status(RecoveryPhase.VERIFYING, null, 1);
    return status
        .withPlan(plan)
        .withCause(
            Objects.requireNonNull(status.cause())
                .withReason("PodFailed")
                .withFaultyNodes(List.of())
                .withLoss(before));
  }

  private static List<RankView> ranks(
      List<PodView> gang, @Nullable Long first, @Nullable Loss loss) {
    return gang.stream()
        .map(p -> Given.rank(p, first, first == null ? null : NOW, NOW))
        .map(r -> r.withFirstStep(first).withLoss(loss))
        .toList();
  }

  private static Decision decide(Given.Job job, List<PodView> gang, List<RankView> ranks) {
    return RecoveryMachine.decide(
        snapshot(job, verifying(GOOD), gang, ranks, 1), Policy.DEFAULT, NOW);
  }

  private static ResumeAttempt failed(Decision decision) {
    RecoveryStatus next = ((Decision.Move) decision).next();
    assertThat(next.conditions())
        .anySatisfy(
            c -> {
              assertThat(c.getType()).isEqualTo("Resumed");
              assertThat(c.getReason()).isEqualTo(next.resumes().getLast().result().word());
            });
    return next.resumes().getLast();
  }

  private static List<Reason> reasons(Decision decision) {
    return ((Decision.Move) decision).notes().stream().map(Decision.Note::reason).toList();
  }

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

  @ParameterizedTest
  @CsvSource({"1, CRASHED, node-1", "16, INTERRUPTED, ''"})
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

  private static Checkpoint valid(long step) {
    Instant at = T0.plusSeconds(step);
    return new Checkpoint("/ckpt/step-" + step + ".pt", step, 1, at, "valid", "L3", "");
  }

  private static Decision plan(List<Long> steps, ResumeAttempt... attempts) {
    RecoveryStatus status =
        RecoverySnapshots.status(RecoveryPhase.PLANNING, null, 2, "PodFailed")
            .withResumes(List.of(attempts));
    RecoveryStatus blameless =
        status.withCause(Objects.requireNonNull(status.cause()).withFaultyNodes(List.of()));
    RecoverySnapshot s =
        snapshot(job().suspended(ME, true), blameless, List.of(), List.of(), 1)
            .with(
                b ->
                    b.inspection(
                            new Inspection.Report(
                                2, steps.stream().map(ResumeFailuresTest::valid).toList(), ""))
                        .scanFloor(0L));
    return RecoveryMachine.decide(s, Policy.DEFAULT, NOW);
  }

  private static ResumeAttempt attempt(long step, ResumeResult result) {
    return new ResumeAttempt(1, step, null, null, result, "it did not load", "node-1");
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
