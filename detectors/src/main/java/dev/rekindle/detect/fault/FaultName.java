package dev.rekindle.detect.fault;

import java.util.Locale;

/** The name of a NodeFault, and the label that finds those of a node. */
public final class FaultName {
  /** Label of every NodeFault that an agent writes: its node, cut as {@link #label} says. */
  public static final String NODE_LABEL = "rekindle.dev/node";

  private static final int NAME = 253;
  private static final int LABEL = 63;

  private FaultName() {}

  /**
   * The name: {@code node-1.0000-3b-00.xid-79}. Node names are DNS names, and neither of the other
   * parts holds a dot, so two faults never share a name.
   */
  public static String of(String node, String componentId, String code) {
    var component = componentId.isEmpty() ? "node" : componentId;
    var end = "." + safe(component) + "." + safe(code);
    // A name may have 253 characters, which a node name alone can fill.
    return cut(node, NAME - end.length()) + end;
  }

  /**
   * The value of {@link #NODE_LABEL}: the node's name, its end replaced by a hash if it is long.
   */
  public static String label(String node) {
    return cut(node, LABEL);
  }

  private static String safe(String part) {
    return part.replaceAll("[:/_.]", "-").toLowerCase(Locale.ROOT);
  }

  private static String cut(String node, int room) {
    if (node.length() <= room) {
      return node;
    }
    var hash = String.format("-%08x", node.hashCode());
    return node.substring(0, room - hash.length()) + hash;
  }
}
