package dev.rekindle.controller.nodehealth;

import dev.rekindle.api.NodeFaultSpec.ComponentType;
import java.util.Locale;

/** Names that device plugins, DRA drivers and MindCluster give, as a NodeFault may carry them. */
final class ForeignName {
  private static final int MAX_ID = 100;

  private ForeignName() {}

  /** What a component is, by the name of its resource or driver. */
  static ComponentType componentType(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    if (lower.contains("rdma")
        || lower.contains("hca")
        || lower.contains("nic")
        || lower.contains("dranet")) {
      return ComponentType.NIC;
    }
    return ComponentType.GPU;
  }

  /** {@code 0000:3b:00.0} as the kernel log has it: without the function. */
  static String pciAddress(String address) {
    int dot = address.lastIndexOf('.');
    return (dot > 0 ? address.substring(0, dot) : address).toLowerCase(Locale.ROOT);
  }

  /**
   * An id of others in the alphabet that names of objects and the schema take. A part of a name
   * begins and ends with a letter or a digit.
   */
  static String safe(String id) {
    StringBuilder safe = new StringBuilder();
    for (int i = 0; i < Math.min(id.length(), MAX_ID); i++) {
      char c = id.charAt(i);
      safe.append(alphanumeric(c) || "-_.:/".indexOf(c) >= 0 ? c : '-');
    }
    while (!safe.isEmpty() && !alphanumeric(safe.charAt(safe.length() - 1))) {
      safe.setLength(safe.length() - 1);
    }
    while (!safe.isEmpty() && !alphanumeric(safe.charAt(0))) {
      safe.deleteCharAt(0);
    }
    return safe.toString();
  }

  private static boolean alphanumeric(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  }
}
