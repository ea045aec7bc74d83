package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.node;
import static dev.rekindle.controller.recovery.Decisions.detail;
import static dev.rekindle.controller.recovery.Decisions.entered;
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
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.detect.node.NodeOwner;
import dev.rekindle.detect.node.NodeSigns;
import dev.rekindle.detect.node.PodDevices;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
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

  static Stream<Arguments> others() {
    NodeView free = node("node-1");
    return Stream.of(
        argumentSet(
            "cordoned by a person",
            node("node-1", Readiness.READY, T0, true, ""),
            "node-1 is left to the one who cordoned it"),
        argumentSet(
            "tainted",
            owned(free, new NodeOwner("Karpenter", "taint karpenter.sh/disrupted", true)),
            "node-1 is left to Karpenter (taint karpenter.sh/disrupted)"),
        argumentSet(
            "labelled",
            owned(free, new NodeOwner("NVSentinel", "label state=draining", false)),
            "node-1 is left to NVSentinel (label state=draining)"));
  }

  private static NodeView owned(NodeView node, NodeOwner owner) {
    return node.withSigns(new NodeSigns(List.of(), List.of(), List.of(), owner));
  }

  @ParameterizedTest
  @MethodSource("others")
  void shouldLeaveANodeToItsOwnerAndSaySo(NodeView node, String said) {
    List<FaultView> faults = List.of(XID_79);
    Decision fencing = decide(status(RecoveryPhase.FENCING, null, 1), gang(""), node, faults);

    assertThat(entered(fencing)).isEqualTo(RecoveryPhase.DRAINING);
    assertThat(detail(fencing)).isEqualTo(said);
    assertThat(((Decision.Move) fencing).notes()).isEmpty();
    // Nor is it fenced on second thoughts.
    assertThat(decide(status(RecoveryPhase.DRAINING, null, 1), gang(""), node, faults))
        .isInstanceOf(Decision.Act.class);
  }

  @Test
  void shouldNotLearnOfTheFaultOfAGpuThatIsAnotherJobs() {
    FaultView theirs =
        Given.fault("node-2", "XID-79", FenceGuidance.ALWAYS)
            .with(b -> b.component("GPU GPU-22222222-aaaa-bbbb-cccc-000000000002").evidence(""));
    List<PodView> unknown = gang("");
    List<PodView> known = new ArrayList<>(unknown);
    known.set(
        2,
        known
            .get(2)
            .withDevices(
                new PodDevices(
                    true, Set.of("GPU-11111111-aaaa-bbbb-cccc-000000000001"), List.of())));
    RecoveryStatus draining = status(RecoveryPhase.DRAINING, null, 1);
    NodeView fenced = node("node-1", Readiness.READY, T0, true, "team/" + ME);

    assertThat(decide(draining, known, fenced, List.of(theirs))).isInstanceOf(Decision.Act.class);
    assertThat(entered(decide(draining, unknown, fenced, List.of(theirs))))
        .isEqualTo(RecoveryPhase.FENCING);
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
