package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.recovery.Decisions.entered;
import static dev.rekindle.controller.recovery.Decisions.way;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.api.RestartWay;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RestartView;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The agent of node-2 was taken over; it may say what it likes of its own pod, and no other. */
class NodeReportsTest {
  private static final String STOLEN = "node-2";

  @ParameterizedTest
  @EnumSource(State.class)
  void shouldNotTakeAnotherNodesWordForAFrozenPod(State state) {
    InPlaceScene scene =
        new InPlaceScene()
            .ordered(RestartInstruction.FREEZE)
            .reported(1, RestartInstruction.FREEZE, State.FROZEN)
            .reported(2, RestartInstruction.FREEZE, State.FROZEN)
            .forged(STOLEN, 0, RestartInstruction.FREEZE, state);

    assertThat(scene.decide()).isInstanceOf(Decision.Wait.class);
    assertThat(scene.reported(0, RestartInstruction.FREEZE, State.FROZEN).decide())
        .as("the word of its own node")
        .isInstanceOf(Decision.Act.class);
  }

  @ParameterizedTest
  @EnumSource(
      value = State.class,
      names = {"KILLED", "RESTARTED"})
  void shouldNotTakeAnotherNodesWordForADeadLeader(State state) {
    InPlaceScene scene =
        new InPlaceScene()
            .frozenAndReplaced()
            .ordered(RestartInstruction.RESTART_LEADER)
            .phase(RecoveryPhase.RESUMING, NOW)
            .forged(STOLEN, 0, RestartInstruction.RESTART_LEADER, state);

    assertThat(scene.decide()).isInstanceOf(Decision.Wait.class);
    assertThat(
            scene
                .reported(0, RestartInstruction.RESTART_LEADER, State.KILLED)
                .effect(Effect.Order.class)
                .spec()
                .instruction())
        .isEqualTo(RestartInstruction.RESTART_ALL);
  }

  @Test
  void shouldNotTakeAnotherNodesWordForARestartedPod() {
    InPlaceScene scene =
        new InPlaceScene()
            .frozenAndReplaced()
            .ordered(RestartInstruction.RESTART_ALL)
            .phase(RecoveryPhase.RESUMING, NOW)
            .reported(0, RestartInstruction.RESTART_LEADER, State.KILLED)
            .reported(2, RestartInstruction.RESTART_ALL, State.RESTARTED)
            .forged(STOLEN, 0, RestartInstruction.RESTART_ALL, State.RESTARTED);

    assertThat(scene.decide()).isInstanceOf(Decision.Wait.class);
    scene.reported(0, RestartInstruction.RESTART_ALL, State.RESTARTED);
    assertThat(entered(scene.decide())).isEqualTo(RecoveryPhase.VERIFYING);
  }

  /** Whatever is missing is not known, and least of all that something is dead. */
  @Test
  void shouldWaitForALeaderAndAContainerWithoutAReport() {
    InPlaceScene scene =
        new InPlaceScene()
            .ordered(RestartInstruction.RESTART_LEADER)
            .phase(RecoveryPhase.RESUMING, NOW)
            .reported(1, RestartInstruction.FREEZE, State.FROZEN)
            .reported(2, RestartInstruction.FREEZE, State.FROZEN);

    assertThat(scene.decide()).as("the leader").isInstanceOf(Decision.Wait.class);
    InPlaceScene missing =
        new InPlaceScene()
            .ordered(RestartInstruction.RESTART_ALL)
            .phase(RecoveryPhase.RESUMING, NOW)
            .reported(0, RestartInstruction.RESTART_ALL, State.RESTARTED)
            .reported(1, RestartInstruction.RESTART_ALL, State.RESTARTED);
    assertThat(missing.decide()).as("a worker").isInstanceOf(Decision.Wait.class);
  }

  @Test
  void shouldNotLetAnotherNodeThawAPodOrSpoilTheRestart() {
    InPlaceScene thawed =
        new InPlaceScene()
            .frozenAndReplaced()
            .forged(STOLEN, 0, RestartInstruction.FREEZE, State.THAWED);
    InPlaceScene stranger =
        new InPlaceScene().frozenAndReplaced().problemOf("node-9", "I say it cannot be");
    InPlaceScene own = new InPlaceScene().frozenAndReplaced().problemOf(STOLEN, "no freezer");

    assertThat(entered(thawed.decide())).isEqualTo(RecoveryPhase.PLANNING);
    assertThat(entered(stranger.decide())).isEqualTo(RecoveryPhase.PLANNING);
    assertThat(way(own.decide())).as("a node of the gang").isEqualTo(RestartWay.REBUILD);
  }

  @Test
  void shouldCountWhatIsSaidOfPodsThatAreKnownToBeElsewhere() {
    RestartView report =
        new InPlaceScene()
            .reported(2, RestartInstruction.FREEZE, State.FROZEN)
            .forged(STOLEN, 0, RestartInstruction.FREEZE, State.FROZEN)
            .forged(STOLEN, 1, RestartInstruction.FREEZE, State.FROZEN)
            .snapshot()
            .reports()
            .getFirst();
    List<PodView> gang = gang("");

    assertThat(NodeReports.foreign(gang, report)).isEqualTo(2);
    assertThat(NodeReports.foreign(gang.subList(1, 3), report)).as("one is gone").isEqualTo(1);
    assertThat(NodeReports.of(gang, List.of(report)))
        .singleElement()
        .satisfies(r -> assertThat(r.spec().pods()).hasSize(1));
  }
}
