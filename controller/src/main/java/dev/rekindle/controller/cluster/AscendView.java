package dev.rekindle.controller.cluster;

import dev.rekindle.detect.node.AscendFault;
import java.util.List;

/**
 * What the controller keeps of a ConfigMap in which MindCluster tells the faults of a node.
 *
 * @param node the node
 * @param readable whether it could be read; nobody can say what is wrong when not
 * @param faults what it tells
 */
public record AscendView(String node, boolean readable, List<AscendFault> faults) {
  public AscendView {
    faults = List.copyOf(faults);
  }
}
