package dev.rekindle.controller.placement;

import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.JobView.Replica;
import dev.rekindle.controller.model.NodeIncidentHistory;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.SpareOrder;
import dev.rekindle.controller.placement.topology.Fabric;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Chooses the nodes that a warm spare may go to: those with room in the leaf group of the gang that
 * has the fewest spares, of two such the one with more pods of the gang; where none of its leaf
 * groups has room, the nearest ones. All that are offered are equally near. Pure.
 */
public final class SpareNodes {
  private final Gang gang;
  private final Replica replica;
  private final Fabric fabric;

  private SpareNodes(Gang gang, Replica replica, List<String> topologyKeys) {
    this.gang = gang;
    this.replica = UnlistedResources.of(List.of(replica), gang.nodes().values()).without(replica);
    this.fabric =
        Fabric.of(
            topologyKeys, gang.nodes().values(), gang.pods().stream().map(PodView::node).toList());
  }

  /**
   * Names of at most {@link SpareOrder#NODES} nodes, the best first; none where none has room.
   *
   * @param gang the whole gang, each pod on its node; what spares hold counts as taken
   * @param spares nodes that have a spare of the job already
   * @param topologyKeys the labels that a policy names
   */
  public static List<String> choose(
      Gang gang, Replica replica, Collection<String> spares, List<String> topologyKeys) {
    return new SpareNodes(gang, replica, topologyKeys).run(Set.copyOf(spares));
  }

  private List<String> run(Set<String> spares) {
    Set<String> own = gang.pods().stream().map(PodView::node).collect(Collectors.toSet());
    List<NodeView> free =
        gang.nodes().values().stream()
            .filter(n -> !own.contains(n.name()) && !spares.contains(n.name()) && takesOne(n))
            .toList();
    List<String> leaves = leaves(spares);
    if (free.isEmpty() || leaves.isEmpty()) {
      return List.of();
    }
    for (String leaf : leaves) {
      List<NodeView> within =
          free.stream().filter(n -> fabric.distance(leaf, n.name()) == 0).toList();
      if (!within.isEmpty() && !fabric.flat()) {
        return best(within);
      }
    }
    String leaf = leaves.getFirst();
    int nearest = free.stream().mapToInt(n -> fabric.distance(leaf, n.name())).min().orElseThrow();
    return best(free.stream().filter(n -> fabric.distance(leaf, n.name()) == nearest).toList());
  }

  private static List<String> best(Collection<NodeView> nodes) {
    return nodes.stream()
        .sorted(
            Comparator.comparingInt(
                    (NodeView n) -> NodeIncidentHistory.parse(n.incidents()).entries().size())
                .thenComparing(NodeView::name))
        .limit(SpareOrder.NODES)
        .map(NodeView::name)
        .toList();
  }

  /** A node of each leaf group of the gang, in the order in which they are to have spares. */
  private List<String> leaves(Set<String> spares) {
    Map<Integer, List<String>> byLeaf = new TreeMap<>();
    for (PodView pod : gang.pods()) {
      if (fabric.has(pod.node())) {
        byLeaf.computeIfAbsent(fabric.path(pod.node())[0], _ -> new ArrayList<>()).add(pod.node());
      }
    }
    Map<Integer, Long> had = new HashMap<>();
    spares.stream()
        .filter(fabric::has)
        .forEach(node -> had.merge(fabric.path(node)[0], 1L, Long::sum));
    return byLeaf.entrySet().stream()
        .sorted(
            Comparator.<Map.Entry<Integer, List<String>>>comparingLong(
                    e -> had.getOrDefault(e.getKey(), 0L))
                .thenComparingInt(e -> -e.getValue().size())
                .thenComparing(e -> e.getValue().stream().sorted().findFirst().orElseThrow()))
        .map(e -> e.getValue().stream().sorted().findFirst().orElseThrow())
        .toList();
  }

  private boolean takesOne(NodeView node) {
    return NodeFit.closed(node, gang.leaving()).isEmpty()
        && node.owner() == null
        && !node.lemon()
        && NodeFit.keptOff(node, replica).isEmpty()
        && NodeFit.places(
                node,
                replica,
                gang.gpus().getOrDefault(node.name(), 0L),
                gang.taken().getOrDefault(node.name(), Amounts.NONE))
            > 0;
  }
}
