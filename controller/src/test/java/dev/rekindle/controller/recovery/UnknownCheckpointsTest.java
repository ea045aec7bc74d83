package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.recovery.Decisions.detail;
import static dev.rekindle.controller.recovery.Decisions.way;
import static dev.rekindle.controller.recovery.InPlaceScene.ME;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RestartWay;
import dev.rekindle.api.ResumeAttempt;
import dev.rekindle.api.ResumeResult;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.JobView;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A drained gang whose checkpoints cannot be judged. */
class UnknownCheckpointsTest extends UnknownCheckpointsFixture {
  static Stream<Inspection> unjudged() {
    return Stream.of(
        REFUSED,
        new Inspection.Absent(),
        new Inspection.Pending("ImagePullBackOff"),
        new Inspection.Report(9, List.of(), "Permission denied"));
  }

  @ParameterizedTest
  @MethodSource("unjudged")
  void shouldLeaveItToAScriptThatNeverWentBack(Inspection inspection) {
    RecoverySnapshot s = planning(inspection);
    assertThat(next(s).phase()).isEqualTo(RecoveryPhase.RESUMING);
    assertThat(Objects.requireNonNull(pin(s)).message()).endsWith("what to resume from");
  }

  @ParameterizedTest
  @MethodSource("unjudged")
  void shouldHoldWhereTrainingOnceWentBack(Inspection inspection) {
    RecoveryStatus held = next(back(inspection));
    assertThat(held.phase()).isEqualTo(RecoveryPhase.HELD);
    assertThat(HoldReason.of(held)).contains(HoldReason.CHECKPOINT_UNKNOWN);
    assertThat(held.timeline().getLast().detail())
        .startsWith("CheckpointUnknown: training went back from step 185 to step 74")
        .doesNotContain("decides by itself");
  }

  @Test
  void shouldSayWhatTheApiServerSays() {
    assertThat(detail(decide(back(REFUSED), NOW))).contains("403: exceeded quota: jobs");
  }

  private static RecoverySnapshot unloaded(Inspection inspection, int times) {
    RecoverySnapshot s = planning(inspection);
    ResumeAttempt attempt =
        new ResumeAttempt(
            1,
            null,
            null,
            null,
            ResumeResult.LOAD_ERROR,
            "what the script took cannot be loaded",
            "");
    return s.with(Transitions.status(s).withResumes(Collections.nCopies(times, attempt)));
  }

  @ParameterizedTest
  @MethodSource("unjudged")
  void shouldLetAScriptTakeWhatDoesNotLoadTwiceAtMost(Inspection inspection) {
    assertThat(next(unloaded(inspection, 1)).phase()).isEqualTo(RecoveryPhase.RESUMING);
    RecoveryStatus held = next(unloaded(inspection, 2));
    assertThat(HoldReason.of(held)).contains(HoldReason.CHECKPOINT_UNKNOWN);
    assertThat(held.timeline().getLast().detail())
        .startsWith("CheckpointUnknown: the script chose its checkpoint 2 times and failed");
  }

  @ParameterizedTest
  @MethodSource("itsOwn")
  void shouldHoldForAPersonWhereNothingCanBeJudged(JobView job) {
    RecoveryStatus held = next(unloaded(REFUSED, 2).withJob(job));
    assertThat(HoldReason.of(held)).contains(HoldReason.CRASH_LOOP);
  }

  @Test
  void shouldTakeTheCheckpointBeforeTheOneThatAScriptCouldNotLoad() {
    var scan =
        new Inspection.Report(9, List.of(checkpoint(42, "Valid"), checkpoint(36, "Valid")), "");
    assertThat(Objects.requireNonNull(pin(scanned(scan))).step()).isEqualTo(36);
    var torn =
        new Inspection.Report(9, List.of(checkpoint(48, "Torn"), checkpoint(42, "Valid")), "");
    assertThat(Objects.requireNonNull(pin(scanned(torn))).step())
        .as("the script may have taken the torn one")
        .isEqualTo(42);
  }

  /** No line said why; so many starts from it are enough all the same (seed 94033384). */
  @Test
  void shouldTakeTheCheckpointBeforeTheOneThatAScriptCrashedWithFourTimes() {
    RecoverySnapshot s = planning(scan(42, 36)).with(b -> b.scanFloor(0L));
    ResumeAttempt crashed =
        new ResumeAttempt(1, null, null, null, ResumeResult.CRASHED, "pod p failed", "");
    for (int times : new int[] {3, 4}) {
      RecoverySnapshot failed =
          s.with(Transitions.status(s).withResumes(Collections.nCopies(times, crashed)));
      assertThat(Objects.requireNonNull(pin(failed)).step()).isEqualTo(times < 4 ? 42 : 36);
    }
  }

  @Test
  void shouldKnowByItsFirstStepWhatAScriptTook() {
    // It has saved once since, with a loss that is NaN.
    RecoverySnapshot s = planning(scan(68, 34, 21));
    ResumeAttempt nan =
        new ResumeAttempt(1, null, 35L, 55L, ResumeResult.LOSS_NOT_FINITE, "the loss is NaN", "");
    RecoverySnapshot failed =
        s.with(Transitions.status(s).withResumes(List.of(nan))).with(b -> b.scanFloor(0L));
    assertThat(Objects.requireNonNull(pin(failed)).step()).isEqualTo(21);
  }

  private static RecoverySnapshot scanned(Inspection.Report scan) {
    return unloaded(scan, 1).with(b -> b.scanFloor(0L));
  }

  static Stream<JobView> itsOwn() {
    JobView job = job().suspended(ME, true).view();
    return Stream.of(job.withCheckpointDir(""), job.withResumeByEnv(false));
  }

  @ParameterizedTest
  @MethodSource("itsOwn")
  void shouldLeaveItToAScriptThatCannotBeSentBack(JobView job) {
    assertThat(next(back(REFUSED).withJob(job)).phase()).isEqualTo(RecoveryPhase.RESUMING);
  }

  @Test
  void shouldHoldWhereTheScriptAsksToGoBack() {
    RecoverySnapshot s = planning(REFUSED);
    RecoverySnapshot asked =
        s.with(Transitions.status(s).withCause(Transitions.cause(s).with(b -> b.beforeStep(120L))));

    assertThat(detail(decide(asked, NOW)))
        .startsWith("CheckpointUnknown: the script asked to go back to before step 120");
  }

  @Test
  void shouldNotKeepAGangFrozenForIt() {
    RecoverySnapshot frozen =
        new InPlaceScene()
            .frozenAndReplaced()
            .phase(RecoveryPhase.PLANNING, NOW)
            .snapshot()
            .withInspection(REFUSED);
    assertThat(way(decide(frozen, NOW))).isEqualTo(RestartWay.IN_PLACE);
    assertThat(way(decide(frozen.withRollBacks(List.of(BACK)), NOW))).isEqualTo(RestartWay.REBUILD);
  }

  /** An attempt that went back has made checkpoints of its own since. */
  @Test
  void shouldSendAScriptBackOnce() {
    RecoverySnapshot s = planning(scan(400, 74)).with(b -> b.scanFloor(0L));
    RecoverySnapshot asked =
        s.with(Transitions.status(s).withCause(Transitions.cause(s).with(b -> b.beforeStep(120L))));
    assertThat(Objects.requireNonNull(pin(asked)).step()).isEqualTo(74);

    PinnedCheckpoint went =
        new PinnedCheckpoint(
            CheckpointVerdict.VALID, "/ckpt/74", 74L, "L3", "as was asked for", BACK);
    RecoveryStatus status = Transitions.status(asked);
    RecoverySnapshot again =
        asked.with(status.withPlan(Objects.requireNonNull(status.plan()).withCheckpoint(went)));
    assertThat(Objects.requireNonNull(pin(again)).step()).isEqualTo(400);
    assertThat(Objects.requireNonNull(pin(again)).rollBack())
        .as("a later recovery passes over the checkpoints that were given up")
        .isEqualTo(BACK);
  }
}
