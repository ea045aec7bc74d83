package dev.rekindle.controller.placement;

import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.placement.topology.Fabric;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Nodes that are used only if the others do not suffice, and the reason for each. */
final class SecondChoices {
  /** Where labels say so, what all nodes of a gang should have in common. */
  private static final List<String> ALIKE =
      List.of("nvidia.com/gpu.product", "nvidia.com/cuda.driver-version.full");

  /** The same of older versions of GPU feature discovery. */
  private static final List<String> ALIKE_BEFORE =
      List.of("nvidia.com/cuda.driver.major", "nvidia.com/cuda.driver.minor");

  private final Gang gang;
  private final Fabric fabric;
  private final Map<Integer, String> sharedFates;
  private final Map<String, String> common;

  SecondChoices(Gang gang, Fabric fabric, List<PodView> staying) {
    this.gang = gang;
    this.fabric = fabric;
    this.sharedFates = CorrelatedFailures.of(fabric, gang.nodes().values(), gang.faults());
    this.common = common(gang, staying);
  }

  /** Why the node is a second choice; empty where it is as good as any. */
  String reason(NodeView node) {
    if (node.lemon()) {
      return "repeated incidents";
    }
    if (gang.avoided().contains(node.name())) {
      return "a stall, or a failed attempt, speaks against it";
    }
    String fate = sharedFates.get(fabric.path(node.name())[0]);
    if (fate != null) {
      return fate;
    }
    return common.entrySet().stream()
        .filter(e -> !e.getValue().equals(node.labels().getOrDefault(e.getKey(), e.getValue())))
        .map(
            e ->
                "%s is %s, the survivors have %s"
                    .formatted(e.getKey(), node.labels().get(e.getKey()), e.getValue()))
        .findFirst()
        .orElse("");
  }

  /** Labels of which all survivors carry the same value. */
  private static Map<String, String> common(Gang gang, List<PodView> staying) {
    Map<String, String> common = new TreeMap<>();
    List<String> keys = new ArrayList<>(ALIKE);
    keys.addAll(ALIKE_BEFORE);
    for (String key : keys) {
      Set<String> values = new HashSet<>();
      for (PodView pod : staying) {
        NodeView node = gang.nodes().get(pod.node());
        values.add(node == null ? "" : node.labels().getOrDefault(key, ""));
      }
      if (values.size() == 1 && !values.contains("")) {
        common.put(key, values.iterator().next());
      }
    }
    return common;
  }
}
