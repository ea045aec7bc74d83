package dev.rekindle.controller.placement;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.PlacementPlan;
import dev.rekindle.api.PlacementPlan.Refusal;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.Labels;
import dev.rekindle.controller.model.NodeRoom;
import dev.rekindle.controller.model.NodeRoom.NodeTaint;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.PodNeeds;
import dev.rekindle.controller.model.PodView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** A gang on node-0, node-1 and node-2 of leaf a; node-1 is lost; node-4 and node-5 are near. */
class ReplacementsTest {
  private static final String DRIVER = "nvidia.com/cuda.driver-version.full";
  private static final List<String> LEAF = List.of("leaf");

  private final Map<String, NodeView> nodes = new HashMap<>();
  private final List<FaultView> faults = new ArrayList<>();
  private JobView job = job().view();

  ReplacementsTest() {
    for (String name : List.of("node-0", "node-1", "node-2", "node-4", "node-5")) {
      put(node(name), "a");
    }
    put(node("node-8"), "b");
    put(node("node-9"), "b");
  }

  private void put(NodeView node, String leaf) {
    nodes.put(node.name(), node.withLabels(with(node, "leaf", leaf)));
  }

  private void label(String node, String key, String value) {
    NodeView view = Objects.requireNonNull(nodes.get(node));
    nodes.put(node, view.withLabels(with(view, key, value)));
  }

  private static Map<String, String> with(NodeView node, String key, String value) {
    Map<String, String> labels = new TreeMap<>(node.labels());
    labels.put(key, value);
    return labels;
  }

  private void change(String node, UnaryOperator<NodeView> change) {
    nodes.put(node, change.apply(Objects.requireNonNull(nodes.get(node))));
  }

  private Replacements.Result result() {
    return Replacements.plan(
        new Gang(job, gang(""), List.of("node-1"), nodes, faults, Map.of(), Map.of(), List.of()),
        LEAF);
  }

  private PlacementPlan plan() {
    return result().planned().orElseThrow();
  }

  @Test
  void shouldTakeTheNextNodeOfTheLeafGroup() {
    assertThat(plan().nodes()).containsExactly("node-4");
    assertThat(plan().mostHops()).isZero();
    assertThat(plan().leafGroups()).isEqualTo(1);
  }

  @Test
  void shouldPassOverANodeThatIsShortOfOneRailAndNameIt() {
    needs(Map.of("rdma/rail3", 1L));
    nodes.keySet().forEach(n -> allocate(n, Map.of("rdma/rail3", 1L, "cpu", 64_000L)));
    allocate("node-4", Map.of("cpu", 64_000L));

    assertThat(plan().nodes()).containsExactly("node-5");
    assertThat(plan().refused())
        .contains(new Refusal("node-4", "short of rdma/rail3: 0 free, 1 needed"));
  }

  private void needs(Map<String, Long> amounts) {
    PodNeeds needs = new PodNeeds(Amounts.of(amounts), Map.of(), List.of(), List.of(), false);
    job =
        job.withReplicas(
            job.replicas().stream()
                .map(r -> new JobView.Replica(r.type(), r.count(), r.restart(), r.gpus(), needs))
                .toList());
  }

  private void allocate(String node, Map<String, Long> amounts) {
    change(node, n -> n.withRoom(new NodeRoom(Amounts.of(amounts), n.room().taints())));
  }

  @Test
  void shouldPassOverATaintThatThePodsDoNotBear() {
    change(
        "node-4",
        n ->
            n.withRoom(
                new NodeRoom(Amounts.NONE, List.of(new NodeTaint("team", "b", "NoSchedule")))));

    assertThat(plan().nodes()).containsExactly("node-5");
    assertThat(plan().refused()).contains(new Refusal("node-4", "taint team=b"));
  }

  @Test
  void shouldTakeALemonAnotherDriverOrASuspectNodeOnlyAtLast() {
    label("node-4", Labels.LEMON, "true");
    for (String node : List.of("node-0", "node-1", "node-2")) {
      label(node, DRIVER, "570");
    }
    label("node-5", DRIVER, "550");

    assertThat(plan().nodes()).containsExactly("node-8");
    assertThat(plan().refused()).map(Refusal::node).contains("node-4", "node-5");

    nodes.remove("node-8");
    nodes.remove("node-9");
    assertThat(plan().nodes()).containsExactly("node-4");
  }

  /** It may have been named for a stall, or a gang on it was without RDMA (seed 94424562). */
  @Test
  void shouldTakeAnAvoidedNodeOnlyAtLastAndNotCallItAStalls() {
    Gang gang =
        new Gang(
            job,
            gang(""),
            List.of("node-1"),
            nodes,
            faults,
            Map.of(),
            Map.of(),
            List.of("node-4", "node-5"));

    PlacementPlan plan = Replacements.plan(gang, LEAF).planned().orElseThrow();

    assertThat(plan.nodes()).containsExactly("node-8");
    assertThat(plan.refused())
        .contains(
            new Refusal(
                "node-4", "second choice: a stall, or a failed attempt, speaks against it"));
  }

  @Test
  void shouldAvoidALeafGroupWhoseRailIsDownOnThreeNodes() {
    for (String node : List.of("node-0", "node-1", "node-2")) {
      faults.add(railDown(node));
    }

    assertThat(plan().nodes()).containsExactly("node-8");
    assertThat(plan().refused())
        .contains(
            new Refusal("node-4", "second choice: rail 3 is down on 3 nodes of its leaf group"));
  }

  /** The records of what is over stay for a while. */
  @Test
  void shouldTakeTheNextNodeOfALeafGroupWhoseRailsAreUpAgain() {
    for (String node : List.of("node-0", "node-1", "node-2")) {
      faults.add(railDown(node).withActive(false));
    }
    assertThat(plan().nodes()).containsExactly("node-4");

    faults.set(0, railDown("node-0"));
    faults.set(1, railDown("node-1"));
    assertThat(plan().nodes()).as("two are no switch").containsExactly("node-4");
    assertThat(plan().refused()).noneMatch(r -> r.reason().contains("leaf group"));
  }

  /** As where the breaker is open: it is not fenced. */
  @Test
  void shouldPassOverAFaultyNodeThatIsNotFenced() {
    faults.add(Given.fault("node-4", "XID-79", FenceGuidance.ALWAYS));

    assertThat(plan().nodes()).containsExactly("node-5");
    assertThat(plan().refused()).contains(new Refusal("node-4", "faulty"));

    faults.set(0, Given.fault("node-4", "XID-79", FenceGuidance.ALWAYS).withActive(false));
    assertThat(plan().nodes()).containsExactly("node-4");
  }

  private static FaultView railDown(String node) {
    return Given.fault(node, "NIC-DOWN", FenceGuidance.NEVER)
        .withIncidents(
            List.of(
                new FaultView.Incident(
                    T0, T0, 1, "rail 3", "", "", "", "", "", "", "", List.of())));
  }

  @Test
  void shouldAvoidALeafGroupOfWhichHalfWentSilentAtOnce() {
    change("node-0", n -> n.withReadiness(Readiness.SILENT).withReadinessSince(T0));
    change("node-1", n -> n.withReadiness(Readiness.SILENT).withReadinessSince(T0.plusSeconds(9)));
    change("node-5", n -> n.withReadiness(Readiness.SILENT).withReadinessSince(T0.plusSeconds(20)));

    assertThat(plan().nodes()).containsExactly("node-8");
  }

  @Test
  void shouldSpreadAGangThatIsSpreadOverNodes() {
    nodes.keySet().forEach(n -> change(n, node -> node.withGpus(16)));

    assertThat(plan().nodes()).containsExactly("node-4");

    for (String node : List.of("node-4", "node-5", "node-8", "node-9")) {
      nodes.remove(node);
    }
    assertThat(plan().nodes()).containsExactly("node-0");
  }

  /** The master and a worker are lost, of which each would take the one node that is near. */
  @Test
  void shouldPlanNoTwoReplicaTypesOntoTheSameRoom() {
    nodes.remove("node-5");

    assertThat(
            Replacements.plan(
                    new Gang(
                        job,
                        gang(""),
                        List.of("node-0", "node-1"),
                        nodes,
                        faults,
                        Map.of(),
                        Map.of(),
                        List.of()),
                    LEAF)
                .planned()
                .orElseThrow()
                .nodes())
        .contains("node-4")
        .hasSize(2)
        .doesNotHaveDuplicates();
  }

  /** Two ranks shared the node that is lost; the near one with a rank has room for one of them. */
  @Test
  void shouldPackAGangThatWasPacked() {
    nodes.keySet().forEach(n -> change(n, node -> node.withGpus(16)));
    List.of("node-0", "node-4", "node-5").forEach(nodes::remove);
    List<PodView> pods = new ArrayList<>(gang(""));
    pods.set(0, pods.get(0).withNode("node-1"));

    assertThat(
            Replacements.plan(
                    new Gang(
                        job, pods, List.of("node-1"), nodes, faults, Map.of(), Map.of(), List.of()),
                    LEAF)
                .planned()
                .orElseThrow()
                .nodes())
        .contains("node-2");
  }

  @Test
  void shouldSayWhyNoNodeTakesThePod() {
    change("node-4", n -> n.withUnschedulable(true));
    change("node-5", n -> n.withReadiness(Readiness.NOT_READY));
    change("node-8", n -> n.withGpus(4));
    change("node-9", n -> n.withGpus(4));

    assertThat(result().planned()).isEmpty();
    assertThat(result().missing())
        .startsWith("1 pod of type Worker would lose its node, and there is a place for 0")
        .contains("1 cordoned", "1 not Ready", "short of GPUs");
  }

  @Test
  void shouldNotDependOnTheOrderOfTheNodes() {
    Map<String, NodeView> reversed = new TreeMap<>(Comparator.reverseOrder());
    reversed.putAll(nodes);
    Gang other =
        new Gang(job, gang(""), List.of("node-1"), reversed, faults, Map.of(), Map.of(), List.of());

    assertThat(Replacements.plan(other, LEAF)).isEqualTo(result());
  }
}
