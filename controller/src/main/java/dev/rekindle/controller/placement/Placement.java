package dev.rekindle.controller.placement;

import dev.rekindle.controller.model.Labels;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.placement.topology.Fabric;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** Which nodes the new gang may not use, and which it prefers. */
public final class Placement {
  /** Each stands in every pod; nearness to more places than this says little. */
  static final int MAX_VALUES = 64;

  private Placement() {}

  /**
   * The topology label values of the nodes that stay, so that a replacement is near them: for each
   * key that those nodes carry, of the policy's or else of the built-in ones. A key that no node
   * carries says nothing and is left out, and so is one with very many values. Where a node is
   * marked as a lemon, nodes without that mark come first: a label without values.
   */
  public static Map<String, List<String>> preferred(
      Policy policy, Collection<String> kept, Map<String, NodeView> nodes) {
    Map<String, List<String>> preferred = new TreeMap<>();
    List<String> keys = Fabric.of(policy.topologyKeys(), nodes.values(), kept).levels();
    for (String key : keys) {
      List<String> values =
          kept.stream()
              .map(nodes::get)
              .filter(Objects::nonNull)
              .map(node -> node.labels().get(key))
              .filter(Objects::nonNull)
              .distinct()
              .sorted()
              .toList();
      if (!values.isEmpty() && values.size() <= MAX_VALUES) {
        preferred.put(key, values);
      }
    }
    if (nodes.values().stream().anyMatch(NodeView::lemon)) {
      preferred.put(Labels.LEMON, List.of());
    }
    return preferred;
  }

  /**
   * Nodes that could take a pod: Ready, not cordoned, not tainted by other controllers at work
   * there, not excluded. An upper bound; the scheduler has the last word.
   */
  static List<NodeView> eligible(Collection<NodeView> nodes, Collection<String> excluded) {
    return nodes.stream()
        .filter(n -> n.readiness() == NodeView.Readiness.READY)
        .filter(n -> !n.unschedulable() && !n.keptOffByOthers() && !excluded.contains(n.name()))
        .toList();
  }
}
