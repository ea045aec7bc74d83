package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.recovery.Decisions.detail;
import static dev.rekindle.controller.recovery.Decisions.entered;
import static dev.rekindle.controller.recovery.InPlaceScene.ME;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static dev.rekindle.controller.recovery.RecoverySnapshots.status;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.detect.node.NodeOwner;
import dev.rekindle.detect.node.NodeSigns;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * A leader has planned, and another one resumes the gang some time later. Four nodes have room for
 * its three pods.
 */
class RoomToResumeTest {
  private static final String ATTEMPT = ME + "-1";

  private static RecoverySnapshot suspended(RecoveryPhase phase) {
    return snapshot(job().suspended(ME, true), phase);
  }

  private static RecoverySnapshot snapshot(Given.Job job, RecoveryPhase phase) {
    return RecoverySnapshots.snapshot(job, status(phase, null, 1), List.of(), List.of(), 1);
  }

  private static RecoverySnapshot planned(RecoverySnapshot s, Plan plan) {
    return s.with(Transitions.status(s).withPlan(plan));
  }

  private static Plan plan(RecoverySnapshot s) {
    return Objects.requireNonNull(Transitions.status(s).plan());
  }

  private static Decision decide(RecoverySnapshot s) {
    return RecoveryMachine.decide(s, Policy.DEFAULT, NOW);
  }

  private static void assertResumes(RecoverySnapshot s) {
    assertThat(decide(s))
        .isInstanceOfSatisfying(
            Decision.Act.class,
            act -> assertThat(act.effects()).hasAtLeastOneElementOfType(Effect.Resume.class));
  }

  /** Seed 94309775. */
  @Test
  void shouldPlanAgainWhereOthersHaveTakenTheRoomSince() {
    RecoverySnapshot s = suspended(RecoveryPhase.RESUMING);
    Map<String, Long> taken = Map.of("node-0", 8L, "node-3", 1L);

    Decision decision = decide(s.withTaken(taken));

    assertThat(entered(decision)).isEqualTo(RecoveryPhase.PLANNING);
    assertThat(detail(decision))
        .startsWith("there is no room any more: needed: 3 pods with 8 GPUs; free: 23 GPUs")
        .endsWith(": planned again");
    assertThat(entered(decide(suspended(RecoveryPhase.PLANNING).withTaken(taken))))
        .as("it waits there, and does not come back at once")
        .isEqualTo(RecoveryPhase.HELD);
    assertResumes(s);
    assertResumes(s.withTaken(Map.of("node-0", 8L)));
  }

  /** The call that resumes it has failed for minutes, and a node was repaired (seed 770). */
  @Test
  void shouldPlanAgainWhereANodeThatIsKeptOffIsFitByNow() {
    RecoverySnapshot s = suspended(RecoveryPhase.RESUMING);

    Decision decision = decide(planned(s, plan(s).withExcludedNodes(List.of("node-1"))));

    assertThat(entered(decision)).isEqualTo(RecoveryPhase.PLANNING);
    assertThat(detail(decision)).isEqualTo("fit again: node-1: planned again");

    Map<String, NodeView> nodes = new HashMap<>(s.nodes());
    nodes.computeIfPresent("node-1", (_, node) -> node.withUnschedulable(true));
    assertResumes(
        planned(s, plan(s).withExcludedNodes(List.of("node-1"))).with(b -> b.nodes(nodes)));
  }

  @Test
  void shouldPlanAgainWhereNodesWithTheCheckpointAreTaken() {
    PinnedCheckpoint pin =
        new PinnedCheckpoint(
            CheckpointVerdict.VALID,
            "/ckpt/step-40.pt",
            40L,
            "L3",
            "newest of 3",
            null,
            "torch-save",
            List.of("node-0", "node-1", "node-2"));
    RecoverySnapshot s = suspended(RecoveryPhase.RESUMING);
    RecoverySnapshot local = planned(s, plan(s).withCheckpoint(pin));

    assertResumes(local);
    assertThat(detail(decide(local.withTaken(Map.of("node-2", 8L)))))
        .contains("step 40 is on the disks of node-0, node-1, node-2 alone");
    assertThat(detail(decide(planned(local, plan(local).withExcludedNodes(List.of("node-2"))))))
        .as("the gang is kept off a node that has it")
        .contains("step 40 is on the disks of node-0, node-1, node-2 alone");
  }

  /** It was un-suspended before its room was gone, and the watch of jobs was late. */
  @Test
  void shouldVerifyWhatWasResumedBeforeItWasPlannedAgain() {
    Given.Job resumed = job().attempt(ATTEMPT);
    RecoverySnapshot late = snapshot(resumed, RecoveryPhase.PLANNING);

    Decision decision = decide(planned(late, plan(late).withGangSize(2)));

    assertThat(entered(decision)).isEqualTo(RecoveryPhase.RESUMING);
    RecoveryStatus next = ((Decision.Move) decision).next();
    assertThat(Objects.requireNonNull(next.plan()).gangSize()).isEqualTo(3);
    assertThat(entered(decide(late.with(next)))).isEqualTo(RecoveryPhase.VERIFYING);
    assertThat(entered(decide(snapshot(job(), RecoveryPhase.PLANNING))))
        .as("by its user")
        .isEqualTo(RecoveryPhase.CANCELLED);
  }

  /** They have begun to work on nodes since the gang was planned, and no taint says so. */
  @Test
  void shouldPlanAgainWhereOthersAreAtWorkOnTheNodesThatAreLeft() {
    RecoverySnapshot s = suspended(RecoveryPhase.RESUMING);
    Map<String, NodeView> nodes = new HashMap<>(s.nodes());
    nodes.put("node-0", taken(nodes, "node-0"));
    assertResumes(s.with(b -> b.nodes(nodes)));

    nodes.put("node-3", taken(nodes, "node-3"));
    assertThat(entered(decide(s.with(b -> b.nodes(nodes))))).isEqualTo(RecoveryPhase.PLANNING);
  }

  private static NodeView taken(Map<String, NodeView> nodes, String name) {
    return Objects.requireNonNull(nodes.get(name))
        .withSigns(
            new NodeSigns(
                List.of(),
                List.of(),
                List.of(),
                new NodeOwner("NVSentinel", "label dgxc.nvidia.com/nvsentinel-state", false)));
  }
}
