package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.node;
import static dev.rekindle.controller.recovery.Decisions.detail;
import static dev.rekindle.controller.recovery.Decisions.entered;
import static dev.rekindle.controller.recovery.Decisions.restartReason;
import static dev.rekindle.controller.recovery.Decisions.way;
import static dev.rekindle.controller.recovery.InPlacePods.replacement;
import static dev.rekindle.controller.recovery.InPlacePods.terminating;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.api.RestartWay;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Freezing a gang and replacing some of its pods. */
class InPlaceTest {
  @Test
  void shouldWriteDownTheWayBeforeAnythingIsDone() {
    Decision decision = new InPlaceScene().notChosen().decide();

    assertThat(entered(decision)).isEqualTo(RecoveryPhase.DRAINING);
    assertThat(way(decision)).isEqualTo(RestartWay.IN_PLACE);
  }

  @Test
  void shouldOrderTheFreezeFirst() {
    Effect.Order order = new InPlaceScene().effect(Effect.Order.class);

    assertThat(order.name()).isEqualTo(InPlaceScene.ORDER);
    assertThat(order.spec().instruction()).isEqualTo(RestartInstruction.FREEZE);
    assertThat(order.spec().until()).isAfter(NOW);
  }

  /** Agents thaw on their own when it ends, so it must outlast every wait until ranks restart. */
  @Test
  void shouldGiveAnOrderThatOutlastsThePhasesWhichItFreezes() {
    Duration phases =
        Policy.DEFAULT.freeze(3).plus(Policy.DEFAULT.replacement()).plus(Policy.DEFAULT.inspect());

    assertThat(new InPlaceScene().effect(Effect.Order.class).spec().until())
        .isAfterOrEqualTo(NOW.plus(phases));
  }

  /** Agents count by themselves: no clock of another machine, set as it may be, ends a freeze. */
  @Test
  void shouldGiveAnOrderThatLastsAsLongByTheCountOfItsAgents() {
    RestartOrderSpec spec = new InPlaceScene().effect(Effect.Order.class).spec();

    assertThat(Duration.ofSeconds(Objects.requireNonNull(spec.holdSeconds())))
        .isEqualTo(Duration.between(NOW, spec.until()));
  }

  @Test
  void shouldDeleteNothingBeforeEveryAgentHasConfirmed() {
    InPlaceScene scene =
        new InPlaceScene()
            .ordered(RestartInstruction.FREEZE)
            .reported(0, RestartInstruction.FREEZE, State.FROZEN)
            .reported(1, RestartInstruction.FREEZE, State.FROZEN);

    assertThat(scene.decide()).isInstanceOf(Decision.Wait.class);
  }

  @Test
  void shouldReplaceOnlyThePodOnTheFencedNodeOnceAllAreFrozen() {
    Decision decision =
        new InPlaceScene()
            .ordered(RestartInstruction.FREEZE)
            .reported(0, RestartInstruction.FREEZE, State.FROZEN)
            .reported(1, RestartInstruction.FREEZE, State.FROZEN)
            .reported(2, RestartInstruction.FREEZE, State.FROZEN)
            .decide();

    assertThat(((Decision.Act) decision).effects())
        .singleElement()
        .isInstanceOfSatisfying(
            Effect.DeletePod.class,
            delete -> {
              assertThat(delete.uid()).isEqualTo(gang("").get(1).uid());
              assertThat(delete.grace()).isPositive();
            });
  }

  @Test
  void shouldWaitForAPlaceOfTheReplacementAndThenContinue() {
    InPlaceScene homeless = new InPlaceScene().frozenAndReplaced();
    homeless.pods(List.of(gang("").get(0), replacement(""), gang("").get(2)));

    assertThat(homeless.decide()).isInstanceOf(Decision.Wait.class);
    Decision placed = new InPlaceScene().frozenAndReplaced().decide();
    assertThat(entered(placed)).isEqualTo(RecoveryPhase.PLANNING);
    assertThat(detail(placed)).contains("2 pods frozen", "demo-worker-0 now on node-3");
    // Counted again: a node may have been lost since the way was chosen.
    assertThat(restartReason(placed)).isEqualTo("2 of 3 pods stay where they are");
  }

  /** The operator has yet to make the replacement, or makes a pod twice. */
  @Test
  void shouldWaitUntilThereIsOnePodForEachPlaceInTheGang() {
    PodView twin = gang("").get(0).withUid("twin");
    for (List<PodView> pods :
        List.of(
            List.of(gang("").get(0), gang("").get(2)),
            List.of(gang("").get(0), twin, gang("").get(2)))) {
      assertThat(new InPlaceScene().frozenAndReplaced().pods(pods).decide())
          .isInstanceOf(Decision.Wait.class);
    }
  }

  @Test
  void shouldRebuildWhenAReplacementFindsNoPlaceInTime() {
    InPlaceScene scene =
        new InPlaceScene()
            .frozenAndReplaced()
            .pods(List.of(gang("").get(0), replacement(""), gang("").get(2)))
            .phase(RecoveryPhase.DRAINING, NOW.minusSeconds(71));

    Decision decision = scene.decide();

    assertThat(entered(decision)).isEqualTo(RecoveryPhase.DRAINING);
    assertThat(way(decision)).isEqualTo(RestartWay.REBUILD);
    assertThat(detail(decision)).contains("no place for the replacement");
  }

  @Test
  void shouldRebuildWhenAnAgentDoesNotConfirmInTime() {
    InPlaceScene scene =
        new InPlaceScene()
            .ordered(RestartInstruction.FREEZE)
            .reported(0, RestartInstruction.FREEZE, State.FROZEN)
            .phase(RecoveryPhase.DRAINING, NOW.minusSeconds(11));

    assertThat(way(scene.decide())).isEqualTo(RestartWay.REBUILD);
    assertThat(detail(scene.decide())).contains("not confirmed frozen: demo-worker-0 on node-1");
  }

  @Test
  void shouldGiveABigGangMoreTimeToFreeze() {
    assertThat(Policy.DEFAULT.freeze(3)).hasSeconds(10);
    assertThat(Policy.DEFAULT.freeze(1_024)).hasSeconds(20);
    assertThat(Policy.DEFAULT.freeze(8_192)).hasSeconds(91);
  }

  @ParameterizedTest
  @EnumSource(names = {"DRAINING", "PLANNING", "RESUMING"})
  void shouldRebuildWhenAnAgentCannotOrANodeIsSilentOrAnotherMachine(RecoveryPhase phase) {
    InPlaceScene unable =
        new InPlaceScene().frozenAndReplaced().problem(2, "no freezer").phase(phase, NOW);
    InPlaceScene silent =
        new InPlaceScene()
            .frozenAndReplaced()
            .node(node("node-2", Readiness.SILENT, NOW, false, ""))
            .phase(phase, NOW);
    InPlaceScene exchanged =
        new InPlaceScene()
            .frozenAndReplaced()
            .node(node("node-2").withCreated(NOW))
            .phase(phase, NOW);
    InPlaceScene thawed =
        new InPlaceScene()
            .frozenAndReplaced()
            .reported(2, RestartInstruction.FREEZE, State.THAWED)
            .phase(phase, NOW);

    assertThat(detail(unable.decide())).contains("node node-2: no freezer");
    assertThat(detail(silent.decide())).contains("node node-2 does not answer");
    assertThat(detail(exchanged.decide())).contains("demo-worker-1 is older than node node-2");
    assertThat(detail(thawed.decide())).contains("thawed");
    for (InPlaceScene scene : List.of(unable, silent, exchanged, thawed)) {
      assertThat(way(scene.decide())).isEqualTo(RestartWay.REBUILD);
      assertThat(entered(scene.decide())).isEqualTo(RecoveryPhase.DRAINING);
    }
  }

  @Test
  void shouldWaitForTheReplacementOfAPodThatIsBeingDeletedThoughItsNodeIsFitAgain() {
    InPlaceScene scene = new InPlaceScene().faulty().ordered(RestartInstruction.FREEZE);
    for (int pod = 0; pod < 3; pod++) {
      scene.reported(pod, RestartInstruction.FREEZE, State.FROZEN);
    }
    List<PodView> all = gang("");

    assertThat(entered(scene.decide())).isEqualTo(RecoveryPhase.PLANNING);
    scene.pods(List.of(all.get(0), terminating(all.get(1)), all.get(2)));
    assertThat(((Decision.Wait) scene.decide()).why())
        .isEqualTo("being replaced: demo-worker-0 on node-1");
  }

  @Test
  void shouldSayHowYoungTheGangIsThatItsOrderIsFor() {
    List<PodView> all = gang("");
    Instant youngest = all.getFirst().created().plusSeconds(7);
    InPlaceScene scene =
        new InPlaceScene()
            .pods(List.of(all.get(0), all.get(1).withCreated(youngest), all.get(2)))
            .phase(RecoveryPhase.DRAINING, NOW);

    assertThat(scene.effect(Effect.Order.class).spec().youngest()).isEqualTo(youngest);
  }

  @Test
  void shouldFinishWhatIsFrozenEvenIfTheJobOptsOut() {
    InPlaceScene scene = new InPlaceScene().job(job().optIn(new OptIn.No())).frozenAndReplaced();

    assertThat(entered(scene.decide())).isEqualTo(RecoveryPhase.PLANNING);
  }

  @Test
  void shouldLetAJobGoThatOptsOutOnceItIsToBeRebuilt() {
    InPlaceScene scene =
        new InPlaceScene().job(job().optIn(new OptIn.No())).frozenAndReplaced().rebuilt();

    assertThat(entered(scene.decide())).isEqualTo(RecoveryPhase.CANCELLED);
  }

  /** Its pod would be started again there, and the next attempt be used up for that. */
  @Test
  void shouldGoBackForANodeThatIsLostWhileTheCheckpointIsJudged() {
    RecoverySnapshot planning =
        new InPlaceScene().frozenAndReplaced().phase(RecoveryPhase.PLANNING, NOW).snapshot();
    RecoverySnapshot lost =
        planning.withFaults(
            List.of(
                fault("node-1", "XID-79", FenceGuidance.ALWAYS),
                fault("node-2", "XID-79", FenceGuidance.ALWAYS)));

    Decision learnt = RecoveryMachine.decide(lost, Policy.DEFAULT, NOW);

    assertThat(entered(learnt)).isEqualTo(RecoveryPhase.FENCING);
    assertThat(way(learnt)).isEqualTo(RestartWay.IN_PLACE);
    assertThat(((Decision.Move) learnt).next().cause())
        .satisfies(c -> assertThat(c.faultyNodes()).containsExactly("node-1", "node-2"));
  }
}
