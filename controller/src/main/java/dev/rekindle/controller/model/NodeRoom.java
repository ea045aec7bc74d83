package dev.rekindle.controller.model;

import java.util.List;
import java.util.Set;

/**
 * What a node offers to pods.
 *
 * @param allocatable what pods may request ({@code status.allocatable})
 * @param zero extended resources that it lists there with an amount of 0
 * @param taints taints with effect NoSchedule or NoExecute, but for those by which Kubernetes marks
 *     a node that is cordoned or not Ready
 */
public record NodeRoom(Amounts allocatable, Set<String> zero, List<NodeTaint> taints) {
  /** Of a node of which nothing of it is known. */
  public static final NodeRoom UNKNOWN = new NodeRoom(Amounts.NONE, List.of());

  public NodeRoom {
    zero = Set.copyOf(zero);
    taints = List.copyOf(taints);
  }

  /** Of a node that lists nothing with an amount of 0. */
  public NodeRoom(Amounts allocatable, List<NodeTaint> taints) {
    this(allocatable, Set.of(), taints);
  }

  /** Whether the node lists the resource, also where none of it is left. */
  public boolean lists(String resource) {
    return allocatable.get(resource) != 0 || zero.contains(resource);
  }

  /**
   * A taint that keeps pods off.
   *
   * @param key its key
   * @param value its value, may be empty
   * @param effect {@code NoSchedule} or {@code NoExecute}
   */
  public record NodeTaint(String key, String value, String effect) {
    @Override
    public String toString() {
      return value.isEmpty() ? key : key + "=" + value;
    }
  }
}
