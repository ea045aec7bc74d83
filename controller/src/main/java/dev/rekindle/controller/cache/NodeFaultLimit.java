package dev.rekindle.controller.cache;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Limits how many NodeFaults of one node are read. An agent writes 640 at most; more of them do not
 * come from the agent, and would make each reconcile of the node slower. Faults above the limit are
 * counted and not kept: they are read when they are written or listed again after others were
 * deleted.
 */
final class NodeFaultLimit {
  /** The agent's own limit, and the controller's own detectors beside it. */
  static final int MOST = 768;

  /** The count stops here: beyond it the exact number is of no use. */
  private static final int COUNTED = 10_000;

  private final Map<String, Set<String>> leftOut = new HashMap<>();

  /**
   * Whether there is no room for it.
   *
   * @param held faults of its node that are taken in
   */
  synchronized boolean leavesOut(String node, String key, int held) {
    if (held < MOST) {
      forget(node, key);
      return false;
    }
    Set<String> keys = leftOut.computeIfAbsent(node, _ -> new HashSet<>());
    if (keys.size() < COUNTED) {
      keys.add(key);
    }
    return true;
  }

  /** It is gone; its node may not be known any more. */
  synchronized void gone(String key) {
    leftOut.values().removeIf(keys -> keys.remove(key) && keys.isEmpty());
  }

  private void forget(String node, String key) {
    Set<String> keys = leftOut.get(node);
    if (keys != null && keys.remove(key) && keys.isEmpty()) {
      leftOut.remove(node);
    }
  }

  /** Faults of the node that are not taken in, as far as they are counted. */
  synchronized int leftOut(String node) {
    return leftOut.getOrDefault(node, Set.of()).size();
  }
}
