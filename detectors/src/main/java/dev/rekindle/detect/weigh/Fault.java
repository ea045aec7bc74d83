package dev.rekindle.detect.weigh;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import java.util.List;

/** A fault of a node, as far as weighing needs it. */
public interface Fault {
  /** The node. */
  String node();

  /** What is faulty, {@code GPU 0000:3b:00}; of the node as a whole {@code node}. */
  String component();

  /** {@code XID-79}. */
  String code();

  /** What a single record of it says of fencing. */
  FenceGuidance fence();

  /** Whether it stands. */
  boolean active();

  /** Who found it, {@code kmsg}. */
  String detector();

  /** What repairs it, in the words of the catalogue. */
  String action();

  /** Boot in which it was last seen; empty where it is not known. */
  String bootId();

  /** Its bursts, newest last; a few of them. */
  List<? extends Incident> incidents();

  /** UUID of its GPU; empty where it is not known, or where it is of no GPU. */
  default String deviceUuid() {
    return "";
  }

  /**
   * Whether both are of one thing. One who sees a GPU calls it by its PCI address and another by
   * its UUID.
   */
  default boolean isOfTheSame(Fault other) {
    return node().equals(other.node())
        && (component().equals(other.component())
            || (!deviceUuid().isEmpty() && deviceUuid().equalsIgnoreCase(other.deviceUuid())));
  }
}
