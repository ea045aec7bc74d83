package dev.rekindle.controller.nodehealth;

import dev.rekindle.controller.model.AscendView;
import dev.rekindle.controller.model.DraView;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import java.util.List;

/**
 * Everything that the signs of one node depend on, at one moment.
 *
 * @param node the node
 * @param pods live pods of opted-in jobs on it
 * @param dra what dynamic resource allocation shows of its devices
 * @param ascend what MindCluster keeps about it
 * @param faults its faults, cleared ones too
 */
record NodeHealthSnapshot(
    NodeView node,
    List<PodView> pods,
    DraView dra,
    List<AscendView> ascend,
    List<FaultView> faults) {
  NodeHealthSnapshot {
    pods = List.copyOf(pods);
    ascend = List.copyOf(ascend);
    faults = List.copyOf(faults);
  }

  /** The same with another state of the node. */
  NodeHealthSnapshot with(NodeView other) {
    return new NodeHealthSnapshot(other, pods, dra, ascend, faults);
  }
}
