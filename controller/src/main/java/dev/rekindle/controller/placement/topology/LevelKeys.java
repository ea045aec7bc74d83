package dev.rekindle.controller.placement.topology;

import dev.rekindle.controller.model.NodeView;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Which node labels say where a node hangs in the network, nearest first. A policy may name them;
 * where it does not, those that topology discovery and clouds write are tried.
 */
final class LevelKeys {
  /** As many as a policy may name. */
  static final int MOST = 8;

  private static final String TIER = "fabric.topograph.run/tier-";

  /** Domains of NVLink, nearer than any switch; only nodes with a multi-node NVLink carry one. */
  private static final List<String> ACCELERATOR =
      List.of(
          "nvidia.com/gpu.clique",
          "accelerator.topograph.run/domain",
          "network.topology.nvidia.com/accelerator");

  /**
   * One family each, nearest first: topograph 1.0 and newer, topograph before that, AWS, Google
   * Cloud, Oracle Cloud, CoreWeave.
   */
  private static final List<List<String>> FAMILIES =
      List.of(
          List.of(TIER + 0, TIER + 1, TIER + 2, TIER + 3, TIER + 4, TIER + 5, TIER + 6, TIER + 7),
          List.of(
              "network.topology.nvidia.com/leaf",
              "network.topology.nvidia.com/spine",
              "network.topology.nvidia.com/core"),
          List.of(
              "topology.k8s.aws/network-node-layer-3",
              "topology.k8s.aws/network-node-layer-2",
              "topology.k8s.aws/network-node-layer-1"),
          List.of(
              "cloud.google.com/gce-topology-host",
              "cloud.google.com/gce-topology-subblock",
              "cloud.google.com/gce-topology-block"),
          List.of("oci.oraclecloud.com/host.rack_id", "oci.oraclecloud.com/host.network_block_id"),
          List.of(
              "ib.coreweave.cloud/leafgroup",
              "ib.coreweave.cloud/superpod",
              "ib.coreweave.cloud/fabric"));

  private static final List<String> PLACES =
      List.of("topology.kubernetes.io/zone", "topology.kubernetes.io/region");

  private static final List<String> BUILT_IN =
      Stream.of(Stream.of(ACCELERATOR, PLACES), FAMILIES.stream())
          .flatMap(lists -> lists)
          .flatMap(List::stream)
          .toList();

  private LevelKeys() {}

  /**
   * The keys that hold, nearest first; empty where no node carries one. A key that no node carries
   * says nothing and is left out.
   *
   * @param configured the keys that a policy names, nearest first; empty for the built-in ones
   */
  static List<String> of(List<String> configured, Collection<NodeView> nodes) {
    if (!configured.isEmpty()) {
      Map<String, Integer> carried = carried(configured, nodes);
      return configured.stream().filter(carried::containsKey).distinct().limit(MOST).toList();
    }
    Map<String, Integer> carried = carried(BUILT_IN, nodes);
    return builtIn(carried).stream().filter(carried::containsKey).limit(MOST).toList();
  }

  /** By how many nodes each of the keys is carried; without those that none carries. */
  private static Map<String, Integer> carried(List<String> keys, Collection<NodeView> nodes) {
    Map<String, Integer> carried = new HashMap<>();
    for (NodeView node : nodes) {
      for (String key : keys) {
        if (node.labels().containsKey(key)) {
          carried.merge(key, 1, Integer::sum);
        }
      }
    }
    return carried;
  }

  private static List<String> builtIn(Map<String, Integer> carried) {
    List<String> keys = new ArrayList<>();
    ACCELERATOR.stream().filter(carried::containsKey).findFirst().ifPresent(keys::add);
    // Two families on one cluster are two tools at work, or one that was renamed: the one holds
    // that speaks of more nodes.
    FAMILIES.stream()
        .filter(family -> most(family, carried) > 0)
        .max(Comparator.comparingInt((List<String> family) -> most(family, carried)))
        .ifPresent(keys::addAll);
    keys.addAll(PLACES);
    return keys;
  }

  private static int most(List<String> family, Map<String, Integer> carried) {
    return family.stream().mapToInt(key -> carried.getOrDefault(key, 0)).max().orElse(0);
  }
}
