package dev.rekindle.controller.nodehealth;

import dev.rekindle.controller.model.AscendView;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.detect.node.DeviceTaint;
import java.util.List;

/**
 * Everything that the signs of one node depend on, at one moment.
 *
 * @param node the node
 * @param pods live pods of opted-in jobs on it
 * @param taints taints of its devices
 * @param ascend what MindCluster keeps about it
 * @param faults its faults, cleared ones too
 */
record NodeHealthSnapshot(
    NodeView node,
    List<PodView> pods,
    List<DeviceTaint> taints,
    List<AscendView> ascend,
    List<FaultView> faults) {
  NodeHealthSnapshot {
    pods = List.copyOf(pods);
    taints = List.copyOf(taints);
    ascend = List.copyOf(ascend);
    faults = List.copyOf(faults);
  }

  /** The same with another state of the node. */
  NodeHealthSnapshot with(NodeView other) {
    return new NodeHealthSnapshot(other, pods, taints, ascend, faults);
  }
}
