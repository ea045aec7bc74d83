package dev.rekindle.controller.model;

import dev.rekindle.detect.node.AscendFault;
import java.util.List;

/**
 * What the controller keeps of a ConfigMap in which MindCluster reports the faults of a node.
 *
 * @param node the node
 * @param readable whether it could be read; when not, what is wrong is not known
 * @param faults what it says
 */
public record AscendView(String node, boolean readable, List<AscendFault> faults) {
  public AscendView {
    faults = List.copyOf(faults);
  }
}
