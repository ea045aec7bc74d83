package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.recovery.InPlaceScene.ME;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.JobView;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

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

  /** Its pods could not have the volume either, or would find another node's. */
  @Test
  void shouldHoldTooWhereTheScriptFindsItsCheckpointByItself() {
    JobView job = job().suspended(ME, true).view().withResumeByEnv(false);
    assertThat(next(planning(AWAY).withJob(job)).phase()).isEqualTo(RecoveryPhase.HELD);
    assertThat(next(planning(AWAY).withJob(job.withCheckpointDir(""))).phase())
        .isEqualTo(RecoveryPhase.RESUMING);
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
