package dev.rekindle.controller.placement;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.JobView.Replica;
import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.PodNeeds;
import dev.rekindle.detect.node.NodeOwner;
import dev.rekindle.detect.node.NodeSigns;
import dev.rekindle.detect.node.Shortfall;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class CapacityCheckTest {
  static Stream<Arguments> gangs() {
    return Stream.of(
        argumentSet("as many nodes as pods", gang(8, 8, 3), nodes(8, 8, 8, 8), true),
        argumentSet("one node too few", gang(8, 8, 3), nodes(8, 8, 8), false),
        argumentSet("two pods to a node", gang(4, 4, 3), nodes(8, 8), true),
        argumentSet("enough GPUs in sum only", gang(8, 8, 1), nodes(7, 7, 2), false),
        argumentSet("a master without GPUs", gang(0, 8, 2), nodes(8, 8), true),
        argumentSet("a small master beside a worker", gang(2, 4, 2), nodes(6, 4), true),
        // The master takes the tight node: put on the first one, no second worker would fit there.
        argumentSet("where the greedy fail", gang(4, 3, 2), nodes(6, 4), true),
        argumentSet("a master too many", gang(4, 3, 2), nodes(6, 3), false),
        argumentSet("a master larger than any node", gang(16, 8, 1), nodes(8, 8, 8), false),
        argumentSet("no GPUs asked for", gang(0, 0, 5), nodes(0), true),
        argumentSet("no GPUs asked for, no node", gang(0, 0, 5), nodes(), false));
  }

  @ParameterizedTest
  @MethodSource("gangs")
  void shouldFitAGangOnlyAsAWhole(List<Replica> gang, List<NodeView> nodes, boolean fits) {
    assertThat(CapacityCheck.missing(gang, nodes, List.of(), Map.of(), Map.of()).isEmpty())
        .isEqualTo(fits);
  }

  /** The anti-affinity of a worker is against the master, too. */
  @ParameterizedTest
  @CsvSource({"2, false", "3, true"})
  void shouldFitAGangThatWantsOnePodOnEachNodeOnAsManyNodesAsPods(int nodes, boolean fits) {
    PodNeeds needs = new PodNeeds(Amounts.NONE, Map.of(), List.of(), List.of(), true);
    List<Replica> gang =
        List.of(
            new Replica("Master", 1, RestartPolicy.NEVER, 2, needs),
            new Replica("Worker", 2, RestartPolicy.NEVER, 4, needs));
    long[] gpus = new long[nodes];
    Arrays.fill(gpus, 8);

    assertThat(CapacityCheck.missing(gang, nodes(gpus), List.of(), Map.of(), Map.of()).isEmpty())
        .isEqualTo(fits);
  }

  /** A tenant may ask for as many by a slip; no table of their places fits into memory. */
  @ParameterizedTest
  @CsvSource({"4, 8", "8, 8", "0, 8", "8, 0"})
  void shouldFindNoPlaceForPodsWithoutEnd(long master, long worker) {
    List<Replica> endless =
        List.of(
            new Replica("Master", 2_000_000_000, RestartPolicy.NEVER, master),
            new Replica("Worker", Integer.MAX_VALUE, RestartPolicy.NEVER, worker));

    assertThat(CapacityCheck.missing(endless, nodes(8, 8), List.of(), Map.of(), Map.of()))
        .hasValueSatisfying(missing -> assertThat(missing).contains("needed: 2"));
  }

  @Test
  void shouldCountManyOfBothSizesByThemselves() {
    List<Replica> many =
        List.of(
            new Replica("Master", 5_000, RestartPolicy.NEVER, 1),
            new Replica("Worker", 6_000, RestartPolicy.NEVER, 2));

    assertThat(CapacityCheck.missing(many, nodes(11_999), List.of(), Map.of(), Map.of()))
        .isPresent();
    assertThat(CapacityCheck.missing(many, nodes(12_000), List.of(), Map.of(), Map.of())).isEmpty();
  }

  @Test
  void shouldNotCountWhatOthersHold() {
    assertThat(
            CapacityCheck.missing(
                gang(4, 4, 1), nodes(8), List.of(), Map.of("node-0", 1L), Map.of()))
        .hasValue("needed: 2 pods with 4 GPUs; free: 7 GPUs on 1 node");
  }

  @Test
  void shouldSayWhatIsMissingAndWhereTheNearestMissesAre() {
    List<NodeView> nodes =
        List.of(
            node("node-0"),
            node("node-1"),
            node("node-2", Readiness.READY, T0, true, "team/demo-r1"),
            node("node-3", Readiness.READY, T0, true, ""),
            node("node-4", Readiness.SILENT, T0, false, ""),
            node("node-5", Readiness.NOT_READY, T0, false, ""),
            node("node-6"),
            gpus("control-plane", 0));

    assertThat(
            CapacityCheck.missing(
                gang(4, 8, 3), nodes, List.of("node-6"), Map.of("node-1", 6L), Map.of()))
        .hasValue(
            "needed: 3 pods with 8 GPUs and 1 pod with 4 GPUs; free: 10 GPUs on 2 nodes, at most 8"
                + " on one; left out: 1 cordoned, 1 excluded, 1 fenced, 1 not Ready, 1 silent");
  }

  @Test
  void shouldSayThatADevicePluginHoldsGpusBack() {
    NodeView short1 =
        gpus("node-1", 6)
            .withSigns(
                new NodeSigns(
                    List.of(),
                    List.of(new Shortfall("nvidia.com/gpu", 8, 6), new Shortfall("rdma/ib", 8, 7)),
                    List.of(),
                    null));

    assertThat(
            CapacityCheck.missing(
                gang(8, 8, 1), List.of(node("node-0"), short1), List.of(), Map.of(), Map.of()))
        .hasValue(
            "needed: 2 pods with 8 GPUs; free: 14 GPUs on 2 nodes, at most 8 on one;"
                + " held back by device plugins: 2 GPUs on node-1");
  }

  @Test
  void shouldSayThatAKubeletHasForgottenTheGpusOfAPluginThatIsAway() {
    NodeView away =
        gpus("node-1", 0)
            .withSigns(
                new NodeSigns(
                    List.of(), List.of(new Shortfall("nvidia.com/gpu", 0, 0)), List.of(), null));

    assertThat(
            CapacityCheck.missing(
                gang(8, 8, 1), List.of(node("node-0"), away), List.of(), Map.of(), Map.of()))
        .hasValue("needed: 2 pods with 8 GPUs; free: 8 GPUs on 1 node; no device plugin: node-1");
  }

  @Test
  void shouldPlaceNothingWhereAnotherUserIsAtWorkAndSayWho() {
    NodeView tainted = owned("node-1", new NodeOwner("Karpenter", "taint k", true));
    NodeView labelled = owned("node-2", new NodeOwner("NVSentinel", "label l", false));
    List<NodeView> nodes = List.of(node("node-0"), tainted, labelled);
    List<String> excluded = Exclusions.underOthersHands(nodes);

    assertThat(excluded)
        .as("the scheduler keeps off the other by itself")
        .containsExactly("node-2");
    assertThat(CapacityCheck.missing(gang(8, 8, 1), nodes, excluded, Map.of(), Map.of()))
        .hasValue(
            "needed: 2 pods with 8 GPUs; free: 8 GPUs on 1 node; left out: 1 left to Karpenter, 1"
                + " left to NVSentinel");
  }

  private static NodeView owned(String name, NodeOwner owner) {
    return node(name).withSigns(new NodeSigns(List.of(), List.of(), List.of(), owner));
  }

  private static List<Replica> gang(long master, long worker, int workers) {
    return List.of(
        new Replica("Master", 1, RestartPolicy.NEVER, master),
        new Replica("Worker", workers, RestartPolicy.NEVER, worker));
  }

  private static List<NodeView> nodes(long... gpus) {
    List<NodeView> nodes = new ArrayList<>();
    for (long count : gpus) {
      nodes.add(gpus("node-" + nodes.size(), count));
    }
    return nodes;
  }

  private static NodeView gpus(String name, long gpus) {
    return node(name).withGpus(gpus);
  }
}
