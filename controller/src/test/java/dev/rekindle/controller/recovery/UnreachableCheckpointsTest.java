package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.recovery.InPlaceScene.ME;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.FormerRun;
import dev.rekindle.api.LoggedSaves;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A drained gang whose only copy of checkpoints is out of reach. */
class UnreachableCheckpointsTest extends UnknownCheckpointsFixture {
  private static final Inspection AWAY =
      new Inspection.Unable("claim data is on node-1 (silent)", true);

  @Test
  void shouldHoldWhereTheOnlyCopyIsOutOfReachAndContinueWhenItIsBack() {
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

  /** A hold lasts for days; an inspector that is to report again takes its time. */
  @ParameterizedTest
  @MethodSource("unheard")
  void shouldNotGiveUpTheOnlyCopyWhereTheInspectorIsNotHeardOf(Inspection inspection) {
    Instant later = NOW.plus(Duration.ofHours(3));
    RecoverySnapshot waits =
        saved(NOTHING_THERE).with(next(saved(NOTHING_THERE))).withInspection(inspection);
    EffectFailure refused =
        new EffectFailure(
            CallKind.START_INSPECTOR, "", 403, "quota", later, later, 9, Duration.ZERO);
    RecoverySnapshot paused =
        waits.withFailures(new Failures(Map.of(CallKind.START_INSPECTOR, refused)));
    RecoveryStatus held = ((Decision.Move) decide(paused, later)).next();
    assertThat(HoldReason.of(held)).contains(HoldReason.CHECKPOINT_UNKNOWN);
    assertThat(held.timeline().getLast().detail())
        .endsWith("; without rekindle.dev/checkpoint on the job its script decides");
    assertThat(decide(paused.with(held), later)).isInstanceOf(Decision.Wait.class);
    JobView script = job().suspended(ME, true).view().withBeginsUnreachable(true);
    assertThat(((Decision.Move) decide(paused.withJob(script), later)).next().phase())
        .isEqualTo(RecoveryPhase.PLANNING);
  }

  static Stream<Inspection> unheard() {
    return Stream.of(REFUSED, new Inspection.Absent(), new Inspection.Pending("ImagePullBackOff"));
  }

  /** It does not know since when the inspector that is there scans. */
  @Test
  void shouldWaitForTheNextScansWhereAnotherLeaderWasToldOfTheDrain() {
    RecoverySnapshot room = withNode(saved(NOTHING_THERE), Given.node("node-4"));
    RecoverySnapshot held = room.with(next(room));
    NodeView away = Objects.requireNonNull(held.nodes().get("node-2"));
    RecoverySnapshot taken =
        withNode(held, away.with(b -> b.readiness(NodeView.Readiness.SILENT)))
            .with(b -> b.scanFloor(9L));
    Instant later = NOW.plus(Duration.ofHours(3));
    assertThat(decide(taken, later)).isInstanceOf(Decision.Wait.class);
    assertThat(decide(taken.withRollBacks(List.of(BACK)), later)).isInstanceOf(Decision.Wait.class);
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
  void shouldLeaveItToTheScriptWhereItsOwnerWantsThat() {
    JobView job = job().suspended(ME, true).view().withBeginsUnreachable(true);
    assertThat(next(planning(AWAY).withJob(job)).phase()).isEqualTo(RecoveryPhase.RESUMING);
    assertThat(next(saved(NOTHING_THERE).withJob(job)).phase()).isEqualTo(RecoveryPhase.RESUMING);
  }

  /** Each request for an inspector would be answered alike. */
  @Test
  void shouldContinueOnceItsOwnerLetsTheScriptBegin() {
    RecoverySnapshot held = planning(AWAY).with(next(planning(AWAY)));
    JobView script = job().suspended(ME, true).view().withBeginsUnreachable(true);

    assertThat(next(held.withJob(script)).phase()).isEqualTo(RecoveryPhase.PLANNING);
    RecoverySnapshot wentBack = held.withJob(script).withRollBacks(List.of(BACK));
    Instant later = NOW.plusSeconds(61);
    RecoveryStatus course = ((Decision.Move) decide(wentBack, later)).next();
    assertThat(course.phase()).isEqualTo(RecoveryPhase.HELD);
    assertThat(course.timeline().getLast().detail()).contains("may be of the course given up");
    assertThat(decide(wentBack.with(course), later))
        .as("until an inspector is there")
        .isEqualTo(new Decision.Act(List.of(new Effect.StartInspector()), Transitions.LATER));
  }

  /** Rank 0 has saved on the disk of its node, which is silent; the others have nothing. */
  private static final Inspection NOTHING_THERE =
      new Inspection.Report(
          9,
          List.of(),
          "there is no checkpoint on node-0, and node-2 is out of reach",
          List.of(),
          List.of("node-2"),
          List.of());

  private static RecoverySnapshot saved(Inspection inspection) {
    RecoverySnapshot s = planning(inspection).with(b -> b.scanFloor(0L).inspectorStarted(true));
    LoggedSaves saves =
        new LoggedSaves(3, 40L, NOW.minusSeconds(900), 2, null, null, null, null, false, 0, null);
    return s.with(
        Transitions.status(s)
            .withCause(Transitions.cause(s).withBefore(new FormerRun(null, null, saves))));
  }

  private static RecoverySnapshot withNode(RecoverySnapshot s, NodeView node) {
    Map<String, NodeView> nodes = new HashMap<>(s.nodes());
    nodes.put(node.name(), node);
    return s.withNodes(nodes);
  }

  @Test
  void shouldHoldWhereTheJobHasSavedAndNoNodeWithinReachHasACheckpoint() {
    RecoverySnapshot s = withNode(saved(NOTHING_THERE), Given.node("node-4"));
    RecoveryStatus held = next(s);

    assertThat(held.phase()).isEqualTo(RecoveryPhase.HELD);
    assertThat(held.timeline().getLast().detail())
        .isEqualTo(
            "CheckpointUnknown: its log has shown 3 saves, the newest at step 40, and there is no"
                + " checkpoint on node-0, and node-2 is out of reach, so that the only copy is"
                + " there; bring it back, or let the script begin without it:"
                + " rekindle.dev/checkpoint-unreachable: script");
    NodeView node = Objects.requireNonNull(s.nodes().get("node-2"));
    RecoverySnapshot waits =
        withNode(s.with(held), node.with(b -> b.readiness(NodeView.Readiness.SILENT)));
    assertThat(decide(waits, NOW)).isInstanceOf(Decision.Wait.class);
    RecoverySnapshot back =
        withNode(s.with(held), node.with(b -> b.readiness(NodeView.Readiness.READY)));
    assertThat(decide(withNode(back, node.withUnschedulable(true)), NOW))
        .as("cordoned")
        .isInstanceOf(Decision.Wait.class);
    assertThat(decide(back, NOW))
        .as("the next inspector is put there too")
        .isInstanceOfSatisfying(
            Decision.Act.class,
            act -> assertThat(act.effects()).containsExactly(new Effect.StopInspector()));
    RecoverySnapshot stopped =
        back.withInspectorStarted(false).withInspection(new Inspection.Pending("not started"));
    assertThat(decide(stopped, NOW))
        .isInstanceOfSatisfying(
            Decision.Act.class,
            act -> assertThat(act.effects()).containsExactly(new Effect.StartInspector()));
  }

  @Test
  void shouldTakeAnEarlierRecoveryForASignOfASave() {
    RecoverySnapshot s = planning(NOTHING_THERE).with(b -> b.scanFloor(0L).inspectorStarted(true));
    RecoveryStatus earlier = next(planning(scan(30)).with(b -> b.scanFloor(0L)));

    assertThat(next(s.withHistory(List.of(earlier))).timeline().getLast().detail())
        .startsWith("CheckpointUnknown: an earlier recovery resumed from step 30, and there is no");
  }

  /** A job that was lost before its first save would wait for a node that has nothing. */
  @Test
  void shouldNotHoldWhereNothingShowsThatTheJobHasSaved() {
    RecoverySnapshot s = planning(NOTHING_THERE).with(b -> b.scanFloor(0L).inspectorStarted(true));
    assertThat(next(s).phase()).isEqualTo(RecoveryPhase.RESUMING);
  }

  /** Rank 0 has been on another node before, and has left there what it had saved by then. */
  private static Inspection.Report older(Duration earlier) {
    Inspection.Checkpoint left =
        new Inspection.Checkpoint(
            "/ckpt/10", 10, 9, NOW.minusSeconds(900).minus(earlier), "Unknown", "L2", "away");
    return new Inspection.Report(
        9, List.of(left), "", List.of("node-0"), List.of("node-2"), List.of("node-0"));
  }

  @Test
  void shouldHoldWhereWhatIsWithinReachIsOlderThanTheNewestSave() {
    RecoverySnapshot s = withNode(saved(older(Duration.ofMinutes(61))), Given.node("node-4"));
    RecoveryStatus held = next(s);

    assertThat(held.phase()).isEqualTo(RecoveryPhase.HELD);
    assertThat(held.timeline().getLast().detail())
        .isEqualTo(
            "CheckpointUnknown: its log has shown 3 saves, the newest at step 40, and what node-0"
                + " has was written 3660 s earlier, and node-2 is out of reach, so that the only"
                + " copy is there; bring it back, or let the script begin without it:"
                + " rekindle.dev/checkpoint-unreachable: script");
    NodeView node = Objects.requireNonNull(s.nodes().get("node-2"));
    assertThat(decide(withNode(s.with(held), node), NOW))
        .as("the next inspector is put there too")
        .isInstanceOfSatisfying(
            Decision.Act.class,
            act -> assertThat(act.effects()).containsExactly(new Effect.StopInspector()));
    JobView annotated = job().suspended(ME, true).view().withBeginsUnreachable(true);
    assertThat(next(s.withJob(annotated)).phase()).isEqualTo(RecoveryPhase.RESUMING);
    RecoverySnapshot waits =
        withNode(s.with(held), node.with(b -> b.readiness(NodeView.Readiness.SILENT)));
    assertThat(decide(waits, NOW)).isInstanceOf(Decision.Wait.class);
    assertThat(next(waits.withJob(annotated)).phase()).isEqualTo(RecoveryPhase.PLANNING);
  }

  @Test
  void shouldCompareTheNewestSaveWithTheNewestThatIsWithinReach() {
    Inspection.Report both =
        new Inspection.Report(
            9,
            Stream.of(older(Duration.ofSeconds(59)), older(Duration.ofMinutes(61)))
                .flatMap(report -> report.checkpoints().stream())
                .toList(),
            "",
            List.of("node-0"),
            List.of("node-2"),
            List.of("node-0"));
    assertThat(next(saved(both)).phase()).isEqualTo(RecoveryPhase.RESUMING);
  }

  /** The path may be the same storage on all nodes, and clocks differ. */
  @Test
  void shouldNotHoldWhereTheNewestSaveMayBeWithinReach() {
    assertThat(next(saved(older(Duration.ofSeconds(59)))).phase())
        .isEqualTo(RecoveryPhase.RESUMING);
    Inspection.Report old = older(Duration.ofMinutes(61));
    assertThat(next(saved(new Inspection.Report(9, old.checkpoints(), "", old.nodes()))).phase())
        .as("no node is away")
        .isEqualTo(RecoveryPhase.RESUMING);
    LoggedSaves rare =
        new LoggedSaves(3, 40L, NOW.minusSeconds(900), 2, 7400.0, null, null, null, false, 0, null);
    RecoverySnapshot s = saved(old);
    var cause = Transitions.cause(s).withBefore(new FormerRun(null, null, rare));
    assertThat(next(s.with(Transitions.status(s).withCause(cause))).phase())
        .as("within half of its interval")
        .isEqualTo(RecoveryPhase.RESUMING);
  }

  /** Others of the gang would take its place there, and rank 0 find nothing elsewhere. */
  @Test
  void shouldTakeRankZeroToTheOneNodeThatHasTheNewest() {
    RecoverySnapshot s = saved(older(Duration.ofSeconds(9)));
    var act = (Decision.Act) decide(s.with(next(s)), NOW);
    var order = ((Effect.Resume) act.effects().getFirst()).order();

    assertThat(order.plannedHostnames()).containsExactly("node-0.host");
    assertThat(order.plannedForMaster()).isTrue();
    assertThat(order.resumeFrom()).as("nothing is given that others do not have").isNull();
    RecoverySnapshot all = onNodes("torch-save", "node-0", "node-2", "node-3");
    var valid = (Decision.Act) decide(all.with(next(all)), NOW);
    assertThat(((Effect.Resume) valid.effects().getFirst()).order().plannedForMaster()).isFalse();
  }

  @Test
  void shouldRequestTheInspectorAgainWithPauses() {
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

  /** It is there for some minutes, anybody may delete it, and a hold lasts for days. */
  @Test
  void shouldRequestAnotherInspectorWhereTheOneThatWasStartedIsGone() {
    Decision start = new Decision.Act(List.of(new Effect.StartInspector()), Transitions.LATER);
    RecoverySnapshot held = held(new Inspection.Absent()).withInspectorStarted(true);

    assertThat(decide(held, NOW)).isEqualTo(start);
    assertThat(decide(held.withInspection(REFUSED), NOW)).isEqualTo(start);
    assertThat(decide(held.withInspection(new Inspection.Pending("scans")), NOW))
        .isInstanceOf(Decision.Wait.class);
  }

  @Test
  void shouldContinueOnceTheInspectorHasReported() {
    Inspection.Checkpoint good =
        new Inspection.Checkpoint(
            "/ckpt/step-80.pt", 80, 1, NOW.minusSeconds(60), "valid", "L3", "");
    RecoverySnapshot s = held(new Inspection.Report(2, List.of(good), ""));
    RecoveryStatus planning = next(s);
    assertThat(planning.phase()).isEqualTo(RecoveryPhase.PLANNING);
    assertThat(Objects.requireNonNull(pin(s.with(planning))).step()).isEqualTo(80);
  }

  @Test
  void shouldContinueWhenItsUserLeavesItToTheScript() {
    RecoverySnapshot s =
        held(REFUSED).withJob(job().suspended(ME, true).view().withCheckpointDir(""));
    RecoveryStatus planning = next(s);
    assertThat(planning.phase()).isEqualTo(RecoveryPhase.PLANNING);
    assertThat(next(s.with(planning)).phase()).isEqualTo(RecoveryPhase.RESUMING);
  }

  /** Each node has files of its own, and these have been inspected. */
  private static RecoverySnapshot onNodes(String format, String... nodes) {
    Inspection.Checkpoint newest =
        new Inspection.Checkpoint(
            "/ckpt/80", 80, 9, NOW.minusSeconds(60), "Valid", "L3", "", format, 0);
    return planning(new Inspection.Report(9, List.of(newest), "", List.of(nodes)))
        .with(b -> b.scanFloor(0L).inspectorStarted(true));
  }

  @Test
  void shouldTakeTheGangBackToTheNodesThatHaveItsCheckpoint() {
    RecoverySnapshot s = onNodes("torch-save", "node-0", "node-2", "node-3");
    RecoveryStatus resuming = next(s);

    assertThat(resuming.phase()).isEqualTo(RecoveryPhase.RESUMING);
    assertThat(Objects.requireNonNull(pin(s)).nodes())
        .containsExactly("node-0", "node-2", "node-3");
    var act = (Decision.Act) decide(s.with(resuming), NOW);
    var order = ((Effect.Resume) act.effects().getFirst()).order();
    assertThat(order.plannedHostnames())
        .containsExactly("node-0.host", "node-2.host", "node-3.host");
  }

  @Test
  void shouldHoldWhereTheGangHasNoRoomOnTheNodesThatHaveItsCheckpoint() {
    RecoveryStatus held = next(onNodes("torch-save", "node-0", "node-2"));

    assertThat(held.phase()).isEqualTo(RecoveryPhase.HELD);
    assertThat(held.timeline().getLast().detail())
        .startsWith("CheckpointUnknown: step 80 is on the disks of node-0, node-2 alone, and");
    RecoverySnapshot more = onNodes("torch-save", "node-0", "node-2", "node-3");
    assertThat(next(more.with(held)).phase()).isEqualTo(RecoveryPhase.PLANNING);
  }

  /** Of a gang on two nodes one is lost; the path may be the same storage on all. */
  @Test
  void shouldNotHoldWhereOneNodeAloneCouldBeInspected() {
    assertThat(next(onNodes("torch-save", "node-0")).phase()).isEqualTo(RecoveryPhase.RESUMING);
  }

  /** Its loader fetches a part from the node that has it. */
  @Test
  void shouldNotHoldForPartsOfRanks() {
    assertThat(next(onNodes("nvrx-local", "node-0", "node-2")).phase())
        .isEqualTo(RecoveryPhase.RESUMING);
  }
}
