package dev.rekindle.controller.placement;

import dev.rekindle.controller.model.NodeView;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Says for people which nodes reach the volumes of a gang that has no room because of them. */
final class VolumeShortage {
  private static final int MOST_VOLUMES = 3;
  private static final int MOST_NODES = 3;

  private VolumeShortage() {}

  /** The nodes of each volume, and what is with them. */
  static String describe(
      Collection<PodSize> sizes,
      Collection<OccupiedNode> rooms,
      Collection<NodeView> nodes,
      Collection<String> excluded) {
    Map<String, OccupiedNode> byName =
        rooms.stream().collect(Collectors.toMap(r -> r.node().name(), Function.identity()));
    return sizes.stream()
        .flatMap(size -> size.needs().volumes().stream())
        .distinct()
        .limit(MOST_VOLUMES)
        .map(
            volume ->
                "; %s: %s"
                    .formatted(
                        volume.title(),
                        reached(
                            nodes.stream().filter(volume::isReachedFrom).toList(),
                            byName,
                            excluded)))
        .collect(Collectors.joining());
  }

  private static String reached(
      List<NodeView> from, Map<String, OccupiedNode> rooms, Collection<String> excluded) {
    if (from.isEmpty()) {
      return "no node of the cluster reaches it";
    }
    String named =
        from.stream()
            .limit(MOST_NODES)
            .map(node -> "%s (%s)".formatted(node.name(), state(node, rooms, excluded)))
            .collect(Collectors.joining(", "));
    int more = from.size() - MOST_NODES;
    return "only %s%s %s it"
        .formatted(
            named,
            more > 0 ? " and %d more".formatted(more) : "",
            from.size() == 1 ? "reaches" : "reach");
  }

  private static String state(
      NodeView node, Map<String, OccupiedNode> rooms, Collection<String> excluded) {
    OccupiedNode room = rooms.get(node.name());
    String closed = NodeFit.closed(node, excluded);
    return room != null && closed.isEmpty()
        ? "%d of %d GPUs free".formatted(Math.max(0, node.gpus() - room.gpus()), node.gpus())
        : closed;
  }
}
