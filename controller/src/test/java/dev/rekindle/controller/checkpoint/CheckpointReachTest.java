package dev.rekindle.controller.checkpoint;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.checkpoint.CheckpointReach.Away;
import dev.rekindle.controller.checkpoint.CheckpointReach.Volume;
import dev.rekindle.controller.checkpoint.CheckpointReach.Within;
import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.PodNeeds;
import dev.rekindle.controller.model.PodNeeds.Condition;
import dev.rekindle.controller.model.PodNeeds.Term;
import dev.rekindle.detect.node.NodeOwner;
import dev.rekindle.detect.node.NodeSigns;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CheckpointReachTest {
  private static Volume volume(String kind, String... nodes) {
    Condition on = new Condition("metadata.name", "In", List.of(nodes));
    return new Volume(
        "claim data",
        kind,
        new PodNeeds(
            Amounts.NONE, Map.of(), List.of(new Term(List.of(), List.of(on))), List.of(), false));
  }

  /** {@code node-1} is in the state that is given, all others are Ready. */
  private static List<NodeView> nodes(String state) {
    NodeView one =
        switch (state) {
          case "ready" -> node("node-1");
          case "silent" -> node("node-1", Readiness.SILENT, T0, false, "");
          case "not ready" -> node("node-1", Readiness.NOT_READY, T0, false, "");
          case "fenced" -> node("node-1", Readiness.READY, T0, true, "team/x-r1");
          case "cordoned" -> node("node-1", Readiness.READY, T0, true, "");
          case "at work" ->
              node("node-1")
                  .withSigns(
                      new NodeSigns(
                          List.of(),
                          List.of(),
                          List.of(),
                          new NodeOwner("Karpenter", "taint karpenter.sh/disrupted", true)));
          default -> throw new IllegalArgumentException(state);
        };
    return state.equals("gone")
        ? List.of(node("node-0"), node("node-2"))
        : List.of(node("node-0"), one, node("node-2"));
  }

  @ParameterizedTest
  @CsvSource({
    "ready, node-1, '', true",
    "silent, node-1, '', false",
    "not ready, node-1, '', false",
    "fenced, node-1, '', false",
    "cordoned, node-1, '', false",
    "at work, node-1, '', false",
    "at work, node-1 node-2, '', true",
    "ready, node-1, node-1, false",
    "ready, node-1, node-2, true",
    "silent, node-1 node-2, '', true",
    "silent, node-1 node-2, node-2, false",
    "ready, node-9, '', false",
  })
  void shouldReachAVolumeThroughANodeThatHasItAndTakesPods(
      String state, String having, String unfit, boolean within) {
    var reach =
        CheckpointReach.of(
            volume("local", having.split(" ")),
            nodes(state),
            Set.copyOf(Arrays.asList(unfit.split(" "))));

    assertThat(reach instanceof Within).as(reach.toString()).isEqualTo(within);
  }

  @Test
  void shouldReachWhatIsBoundToNoNode() {
    Volume shared = new Volume("claim data", "nfs.csi.k8s.io", PodNeeds.NONE);

    assertThat(CheckpointReach.of(shared, nodes("silent"), Set.of())).isInstanceOf(Within.class);
    assertThat(CheckpointReach.of(volume("local", "node-1"), List.of(), Set.of()))
        .as("no node was seen yet")
        .isInstanceOf(Within.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "local | silent | node-1 | claim data (local) has the only copy of the checkpoints, on node"
            + " node-1 (silent); bring it back, or let the script begin without it:"
            + " rekindle.dev/checkpoint-unreachable: script",
        "lvm.hwameistor.io | silent | node-1 | claim data (lvm.hwameistor.io) has the only copy of"
            + " the checkpoints, on node node-1 (silent); bring it back, or label the node"
            + " hwameistor.io/failover=start where another one has a replica, or let the script"
            + " begin without it: rekindle.dev/checkpoint-unreachable: script",
        "local | fenced | node-1 | claim data (local) has the only copy of the checkpoints, on node"
            + " node-1 (faulty); repair and release it, or let the script begin without it:"
            + " rekindle.dev/checkpoint-unreachable: script",
        "local | at work | node-1 | claim data (local) has the only copy of the checkpoints, on"
            + " node node-1 (left to Karpenter); wait until it is released, or let the script begin"
            + " without it: rekindle.dev/checkpoint-unreachable: script",
        "local | ready | node-9 | claim data (local) has the only copy of the checkpoints, and is"
            + " on nodes that are no part of the cluster; bring such a node back, or let the script"
            + " begin without it: rekindle.dev/checkpoint-unreachable: script",
      })
  void shouldSayWhichClaimWhichNodeAndWhatToDo(
      String kind, String state, String having, String reason) {
    assertThat(CheckpointReach.of(volume(kind, having), nodes(state), Set.of()))
        .isEqualTo(new Away(reason));
  }

  @Test
  void shouldNameAFewNodesOfMany() {
    List<NodeView> many =
        IntStream.range(0, 9)
            .mapToObj(i -> node("node-" + i, Readiness.SILENT, T0, false, ""))
            .toList();
    var reach =
        CheckpointReach.of(
            volume("local", many.stream().map(NodeView::name).toArray(String[]::new)),
            many,
            Set.of());

    assertThat(reach)
        .isInstanceOfSatisfying(
            Away.class,
            away ->
                assertThat(away.reason())
                    .contains(
                        "on nodes node-0 (silent), node-1 (silent), node-2 (silent) and 6 more"));
  }
}
