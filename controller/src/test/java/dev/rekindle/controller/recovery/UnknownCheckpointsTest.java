package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.recovery.Decisions.detail;
import static dev.rekindle.controller.recovery.Decisions.way;
import static dev.rekindle.controller.recovery.InPlaceScene.ME;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RestartWay;
import dev.rekindle.api.ResumeAttempt;
import dev.rekindle.api.ResumeResult;
import dev.rekindle.api.RollBack;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.Policy;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A drained gang whose checkpoints cannot be judged. */
class UnknownCheckpointsTest {
  private static final Inspection REFUSED =
      new Inspection.Unable("the inspector was refused: 403: exceeded quota: jobs");
  private static final RollBack BACK = new RollBack(74, 185, NOW.minusSeconds(600));
  private static final Policy POLICY = Policy.DEFAULT;

  private static RecoverySnapshot planning(Inspection inspection) {
    return new InPlaceScene()
        .rebuilt()
        .job(job().suspended(ME, true))
        .pods(List.of())
        .phase(RecoveryPhase.PLANNING, NOW.minus(POLICY.inspect()).minusSeconds(1))
        .snapshot()
        .withInspection(inspection);
  }

  private static RecoverySnapshot back(Inspection inspection) {
    return planning(inspection).withRollBacks(List.of(BACK));
  }

  private static Decision decide(RecoverySnapshot s, Instant now) {
    return RecoveryMachine.decide(s, POLICY, now);
  }

  private static RecoveryStatus next(RecoverySnapshot s) {
    return ((Decision.Move) decide(s, NOW)).next();
  }

  private static @Nullable PinnedCheckpoint pin(RecoverySnapshot s) {
    return Objects.requireNonNull(next(s).plan()).checkpoint();
  }

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
        .startsWith("CheckpointUnknown: the script chose by itself 2 times and failed");
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

  private static Inspection.Report scan(long... steps) {
    return new Inspection.Report(
        9, Arrays.stream(steps).mapToObj(step -> checkpoint(step, "Valid")).toList(), "");
  }

  private static RecoverySnapshot scanned(Inspection.Report scan) {
    return unloaded(scan, 1).with(b -> b.scanFloor(0L));
  }

  private static Inspection.Checkpoint checkpoint(long step, String verdict) {
    return new Inspection.Checkpoint(
        "/ckpt/" + step, step, 9, NOW.minusSeconds(900 - step), verdict, "L3", "");
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

  private static RecoverySnapshot held(Inspection inspection) {
    return back(inspection).with(next(back(REFUSED)));
  }

  private static final Inspection AWAY =
      new Inspection.Unable("claim data is on node-1 (silent)", true);

  @Test
  void shouldHoldWhereTheOnlyCopyIsOutOfReachAndGoOnWhenItIsBack() {
    RecoverySnapshot s = planning(AWAY);
    RecoveryStatus held = next(s);

    assertThat(held.phase()).isEqualTo(RecoveryPhase.HELD);
    assertThat(held.timeline().getLast().detail())
        .isEqualTo("CheckpointUnknown: claim data is on node-1 (silent)");
    assertThat(decide(s.with(held), NOW))
        .isEqualTo(new Decision.Act(List.of(new Effect.StartInspector()), Transitions.LATER));

    RecoverySnapshot back = s.with(held).withInspectorStarted(true).with(b -> b.scanFloor(0L));
    assertThat(decide(back.withInspection(new Inspection.Pending("its pod is new")), NOW))
        .as("it is waited for")
        .isInstanceOf(Decision.Wait.class);
    var scan = new Inspection.Report(9, List.of(checkpoint(42, "Valid")), "");
    assertThat(next(back.withInspection(scan)).phase()).isEqualTo(RecoveryPhase.PLANNING);
  }

  /** Its pods could not have the volume either, or would find another node's. */
  @Test
  void shouldHoldTooWhereTheScriptFindsItsCheckpointByItself() {
    JobView job = job().suspended(ME, true).view().withResumeByEnv(false);

    assertThat(next(planning(AWAY).withJob(job)).phase()).isEqualTo(RecoveryPhase.HELD);
    assertThat(next(planning(AWAY).withJob(job.withCheckpointDir(""))).phase())
        .isEqualTo(RecoveryPhase.RESUMING);
  }

  @Test
  void shouldAskForTheInspectorAgainWithPauses() {
    Decision start = new Decision.Act(List.of(new Effect.StartInspector()), Transitions.LATER);
    EffectFailure refused =
        new EffectFailure(
            CallKind.START_INSPECTOR, "job team/demo", 403, "quota", NOW, NOW, 9, Duration.ZERO);
    Failures failures = new Failures(Map.of(CallKind.START_INSPECTOR, refused));

    assertThat(decide(held(REFUSED), NOW)).isEqualTo(start);
    assertThat(decide(held(new Inspection.Absent()), NOW)).isEqualTo(start);
    RecoverySnapshot fails = held(REFUSED).withFailures(failures);
    assertThat(decide(fails, NOW)).isInstanceOf(Decision.Wait.class);
    assertThat(decide(fails, NOW.plus(EffectFailure.LONGEST_WAIT))).isEqualTo(start);
    assertThat(decide(held(new Inspection.Pending("scans")), NOW))
        .isInstanceOf(Decision.Wait.class);
  }

  @Test
  void shouldGoOnOnceTheInspectorHasReported() {
    Inspection.Checkpoint good =
        new Inspection.Checkpoint(
            "/ckpt/step-80.pt", 80, 1, NOW.minusSeconds(60), "valid", "L3", "");
    RecoverySnapshot s = held(new Inspection.Report(2, List.of(good), ""));

    RecoveryStatus planning = next(s);

    assertThat(planning.phase()).isEqualTo(RecoveryPhase.PLANNING);
    assertThat(Objects.requireNonNull(pin(s.with(planning))).step()).isEqualTo(80);
  }

  @Test
  void shouldGoOnWhenItsUserLeavesItToTheScript() {
    RecoverySnapshot s =
        held(REFUSED).withJob(job().suspended(ME, true).view().withCheckpointDir(""));

    RecoveryStatus planning = next(s);

    assertThat(planning.phase()).isEqualTo(RecoveryPhase.PLANNING);
    assertThat(next(s.with(planning)).phase()).isEqualTo(RecoveryPhase.RESUMING);
  }
}
