package dev.rekindle.controller.placement;

import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.placement.topology.Fabric;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Leaf groups in which several nodes fail in the same way. The cause is then something that they
 * share, such as a switch or a power feed, so the other nodes of the group are avoided as well.
 */
final class CorrelatedFailures {
  /** So many nodes of a leaf group with the same rail down are a switch that is down. */
  private static final int SAME_RAIL = 3;

  /** Half of the nodes of a leaf group that went silent within this time. */
  private static final Duration TOGETHER = Duration.ofSeconds(60);

  private static final int LEAST_SILENT = 2;

  private CorrelatedFailures() {}

  /**
   * By number of the leaf group, what its nodes share. A flat fabric has no leaf groups to compare.
   *
   * @param faults faults of nodes, as far as they are known
   */
  static Map<Integer, String> of(
      Fabric fabric, Collection<NodeView> nodes, Collection<FaultView> faults) {
    Map<Integer, String> shared = new TreeMap<>();
    if (fabric.flat()) {
      return shared;
    }
    Map<Integer, Map<String, Set<String>>> rails = new TreeMap<>();
    for (FaultView fault : faults) {
      String rail = rail(fault);
      if (fault.active() && !rail.isEmpty() && fabric.has(fault.node())) {
        rails
            .computeIfAbsent(fabric.path(fault.node())[0], _ -> new TreeMap<>())
            .computeIfAbsent(rail, _ -> new HashSet<>())
            .add(fault.node());
      }
    }
    rails.forEach(
        (leaf, byRail) ->
            byRail.forEach(
                (rail, down) -> {
                  if (down.size() >= SAME_RAIL) {
                    shared.put(
                        leaf,
                        "%s is down on %d nodes of its leaf group".formatted(rail, down.size()));
                  }
                }));
    silent(fabric, nodes).forEach(shared::putIfAbsent);
    return shared;
  }

  private static String rail(FaultView fault) {
    return fault.incidents().isEmpty() || !fault.incidents().getLast().unit().startsWith("rail ")
        ? ""
        : fault.incidents().getLast().unit();
  }

  private static Map<Integer, String> silent(Fabric fabric, Collection<NodeView> nodes) {
    Map<Integer, Integer> sizes = new HashMap<>();
    Map<Integer, TreeSet<Instant>> since = new TreeMap<>();
    Map<Integer, Integer> silent = new HashMap<>();
    for (NodeView node : nodes) {
      int leaf = fabric.path(node.name())[0];
      sizes.merge(leaf, 1, Integer::sum);
      if (node.readiness() != Readiness.READY && node.readinessSince() != null) {
        silent.merge(leaf, 1, Integer::sum);
        since
            .computeIfAbsent(leaf, _ -> new TreeSet<>())
            .add(Objects.requireNonNull(node.readinessSince()));
      }
    }
    Map<Integer, String> shared = new TreeMap<>();
    since.forEach(
        (leaf, times) -> {
          int count = silent.getOrDefault(leaf, 0);
          int size = sizes.getOrDefault(leaf, 0);
          boolean atOnce = Duration.between(times.first(), times.last()).compareTo(TOGETHER) <= 0;
          if (count >= LEAST_SILENT && 2 * count >= size && atOnce) {
            shared.put(
                leaf,
                "%d of %d nodes of its leaf group stopped answering within %d s"
                    .formatted(count, size, TOGETHER.toSeconds()));
          }
        });
    return shared;
  }
}
