package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.node;
import static dev.rekindle.controller.recovery.Decisions.detail;
import static dev.rekindle.controller.recovery.Decisions.entered;
import static dev.rekindle.controller.recovery.FencingTest.fencing;
import static dev.rekindle.controller.recovery.InPlaceScene.ME;
import static dev.rekindle.controller.recovery.RecoverySnapshots.XID_79;
import static dev.rekindle.controller.recovery.RecoverySnapshots.decide;
import static dev.rekindle.controller.recovery.RecoverySnapshots.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.detect.node.NodeOwner;
import dev.rekindle.detect.node.NodeSigns;
import dev.rekindle.detect.node.PodDevices;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Nodes and faults that are not this recovery's. */
class FencingOthersTest {

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
}
