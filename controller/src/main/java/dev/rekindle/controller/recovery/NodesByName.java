package dev.rekindle.controller.recovery;

import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.port.ClusterState;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The nodes by name, put together anew only when one of them has changed. */
final class NodesByName {
  private final ClusterState state;
  private volatile Nodes nodes = new Nodes(List.of(), Map.of());

  /** The nodes as they were last read, by name. */
  private record Nodes(List<NodeView> all, Map<String, NodeView> byName) {}

  NodesByName(ClusterState state) {
    this.state = state;
  }

  /** The list is the same object until a node changes. */
  @SuppressWarnings("ReferenceEquality")
  Map<String, NodeView> get() {
    List<NodeView> all = state.nodes();
    Nodes known = nodes;
    if (known.all() != all) {
      known =
          new Nodes(
              all,
              all.stream()
                  .collect(Collectors.toUnmodifiableMap(NodeView::name, Function.identity())));
      nodes = known;
    }
    return known.byName();
  }
}
