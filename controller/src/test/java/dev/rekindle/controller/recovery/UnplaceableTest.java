package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.node;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RestartWay;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.PodView;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class UnplaceableTest {
  private static InPlaceScene full() {
    return new InPlaceScene()
        .notChosen()
        .planned(null)
        .node(node("node-3", Readiness.READY, T0, true, ""));
  }

  @Test
  void shouldHoldAGangThatTrainsAndHasNoOtherPlace() {
    Decision decision = full().decide();

    assertThat(Decisions.entered(decision)).isEqualTo(RecoveryPhase.HELD);
    assertThat(Decisions.detail(decision))
        .startsWith("NoCapacity: needed: 3 pods with 8 GPUs; free: 16 GPUs on 2 nodes")
        .endsWith("the job trains on meanwhile");
  }

  @Test
  void shouldHoldItWhereTheWayWasChosenWhileThereWasRoom() {
    Decision decision = full().rebuilt().decide();

    assertThat(Decisions.entered(decision)).isEqualTo(RecoveryPhase.HELD);
    assertThat(Decisions.way(decision)).as("chosen anew once there is room").isNull();
  }

  @Test
  void shouldNotHoldAGangThatHasAPlace() {
    Decision decision = new InPlaceScene().notChosen().planned(null).decide();

    assertThat(Decisions.way(decision)).isEqualTo(RestartWay.IN_PLACE);
  }

  @Test
  void shouldSuspendAGangThatTrainsNoMore() {
    Decision decision = full().stepped(NOW.minusSeconds(3_600)).decide();

    assertThat(Decisions.way(decision)).isEqualTo(RestartWay.REBUILD);
  }

  @Test
  void shouldSuspendAGangOfWhichAPodDoesNotRun() {
    List<PodView> pods = new ArrayList<>(gang(""));
    pods.set(2, pods.get(2).withReady(false));

    assertThat(Decisions.way(full().pods(pods).decide())).isEqualTo(RestartWay.REBUILD);
  }
}
