package dev.rekindle.detect.agent;

import dev.rekindle.api.NodeFaultSpec;
import java.time.Instant;
import java.util.Locale;

/**
 * One kernel record that reports a fault.
 *
 * @param fault what a NodeFault says when this is its first sighting
 * @param sequence number of the record within the boot
 * @param time when it was logged
 */
record FaultSighting(NodeFaultSpec fault, long sequence, Instant time) {
  /**
   * Name of the NodeFault: {@code node-1.0000-3b-00.xid-79}. Node names are DNS names, and neither
   * of the other parts holds a dot, so two faults never share a name.
   */
  String name() {
    var component = fault.componentId().isEmpty() ? "node" : fault.componentId();
    var end = "." + component.replace(':', '-') + "." + fault.code().toLowerCase(Locale.ROOT);
    // A name may have 253 characters, which a node name alone can fill.
    var room = 253 - end.length();
    var node = fault.node();
    if (node.length() > room) {
      var hash = String.format("-%08x", node.hashCode());
      node = node.substring(0, room - hash.length()) + hash;
    }
    return node + end;
  }
}
