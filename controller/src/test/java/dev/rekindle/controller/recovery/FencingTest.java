package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.node;
import static dev.rekindle.controller.recovery.Decisions.detail;
import static dev.rekindle.controller.recovery.Decisions.entered;
import static dev.rekindle.controller.recovery.Decisions.way;
import static dev.rekindle.controller.recovery.InPlaceScene.ME;
import static dev.rekindle.controller.recovery.InPlaceScene.NOW;
import static dev.rekindle.controller.recovery.RecoverySnapshots.XID_79;
import static dev.rekindle.controller.recovery.RecoverySnapshots.decide;
import static dev.rekindle.controller.recovery.RecoverySnapshots.snapshot;
import static dev.rekindle.controller.recovery.RecoverySnapshots.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartWay;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.Policy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Which nodes a recovery fences. */
class FencingTest {
  static Stream<Arguments> fencing() {
    NodeView free = node("node-1");
    NodeView fenced = node("node-1", Readiness.READY, T0, true, "team/" + ME);
    return Stream.of(
        argumentSet("the fault stands", free, List.of(XID_79), true, ""),
        argumentSet("fenced", fenced, List.of(XID_79), false, "cordoned: node-1"),
        argumentSet("repaired", free, List.of(), false, "no fault that fences is left on node-1"),
        argumentSet(
            "repaired, not released yet",
            fenced,
            List.of(),
            false,
            "no fault that fences is left on node-1"));
  }

  @Test
  void shouldCallNoNodeFencedThatIsNotThere() {
    RecoverySnapshot gone =
        snapshot(
            job(),
            status(RecoveryPhase.FENCING, null, 1),
            gang(""),
            Map.of(),
            List.of(XID_79),
            List.of(),
            0);

    Decision decision = RecoveryMachine.decide(gone, Policy.DEFAULT, NOW);

    assertThat(entered(decision)).isEqualTo(RecoveryPhase.DRAINING);
    assertThat(detail(decision)).isEqualTo("no longer there: node-1");
    assertThat(((Decision.Move) decision).notes()).isEmpty();
  }

  /** It was frozen for a restart in place that was given up (seed 104). */
  @Test
  void shouldThawWhatIsFrozenWhileTheBreakerIsOpen() {
    Policy full = Policy.DEFAULT.with(b -> b.maxFencedNodes(0));
    RecoverySnapshot frozen = new InPlaceScene().ordered(RestartInstruction.FREEZE).snapshot();
    RecoverySnapshot fencing =
        snapshot(
                job(),
                status(RecoveryPhase.FENCING, null, 1),
                gang(""),
                Map.of("node-1", node("node-1")),
                List.of(XID_79),
                List.of(),
                0)
            .with(b -> b.order(frozen.order()));

    RecoveryStatus held = ((Decision.Move) RecoveryMachine.decide(fencing, full, NOW)).next();

    assertThat(held.phase()).isEqualTo(RecoveryPhase.HELD);
    String order = Objects.requireNonNull(frozen.order()).name();
    assertThat(RecoveryMachine.decide(fencing.with(held), full, NOW))
        .isEqualTo(new Decision.Act(List.of(new Effect.Withdraw(order)), Transitions.LATER));
  }

  /**
   * A second node was lost while the gang was being frozen, and the breaker has no place for it.
   */
  @Test
  void shouldChooseTheWayAgainAfterTheGangHasThawed() {
    RecoverySnapshot freezing =
        new InPlaceScene()
            .ordered(RestartInstruction.FREEZE)
            .faulty(XID_79, fault("node-2", "XID-79", FenceGuidance.ALWAYS))
            .node(node("node-4"))
            .stepped(NOW.minusSeconds(3_600))
            .phase(RecoveryPhase.FENCING, NOW)
            .snapshot();
    Policy full = Policy.DEFAULT.with(b -> b.maxFencedNodes(1));

    Decision held = RecoveryMachine.decide(freezing, full, NOW);

    assertThat(entered(held)).isEqualTo(RecoveryPhase.HELD);
    assertThat(way(held)).isNull();
    RecoveryStatus later =
        RecoveryStatusBuilder.enter(
            ((Decision.Move) held).next(), RecoveryPhase.DRAINING, "cordoned", NOW);
    RecoverySnapshot thawed =
        freezing
            .with(later)
            .with(b -> b.order(null).reports(List.of()).nodes(fenced(freezing.nodes())))
            .withPods(
                gang("").stream().map(p -> p.with(b -> b.restarts(5).lastExit(NOW))).toList());
    Decision chosen = RecoveryMachine.decide(thawed, Policy.DEFAULT, NOW);
    assertThat(way(chosen)).isEqualTo(RestartWay.REBUILD);
    assertThat(detail(chosen)).contains("their kubelets would wait");
  }

  private static Map<String, NodeView> fenced(Map<String, NodeView> nodes) {
    Map<String, NodeView> all = new HashMap<>(nodes);
    all.put("node-2", node("node-2", Readiness.READY, T0, true, "team/" + ME));
    return all;
  }

  @ParameterizedTest
  @MethodSource("fencing")
  void shouldFenceOnlyWhatIsStillFaulty(
      NodeView node, List<FaultView> faults, boolean cordons, String said) {
    Decision decision = decide(status(RecoveryPhase.FENCING, null, 1), gang(""), node, faults);

    if (cordons) {
      assertThat(decision)
          .isInstanceOfSatisfying(
              Decision.Act.class,
              act ->
                  assertThat(act.effects())
                      .singleElement()
                      .isInstanceOfSatisfying(
                          Effect.Cordon.class, c -> assertThat(c.node()).isEqualTo("node-1")));
    } else {
      assertThat(entered(decision)).isEqualTo(RecoveryPhase.DRAINING);
      assertThat(detail(decision)).isEqualTo(said);
      assertThat(((Decision.Move) decision).notes()).hasSameSizeAs(faults);
    }
  }

  static Stream<Arguments> faultyAgain() {
    NodeView free = node("node-1");
    NodeView fenced = node("node-1", Readiness.READY, T0, true, "team/" + ME);
    return Stream.of(
        argumentSet("released and faulty again", free, List.of(XID_79), true),
        argumentSet("still fenced", fenced, List.of(XID_79), false),
        argumentSet("released", free, List.of(), false));
  }

  @ParameterizedTest
  @MethodSource("faultyAgain")
  void shouldFenceAgainWhatIsFaultyAgain(NodeView node, List<FaultView> faults, boolean fences) {
    Decision decision = decide(status(RecoveryPhase.DRAINING, null, 2), gang(""), node, faults);

    if (fences) {
      assertThat(entered(decision)).isEqualTo(RecoveryPhase.FENCING);
    } else {
      assertThat(decision).isInstanceOf(Decision.Act.class);
    }
  }
}
