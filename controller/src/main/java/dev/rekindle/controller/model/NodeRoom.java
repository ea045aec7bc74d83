package dev.rekindle.controller.model;

import java.util.List;

/**
 * What a node offers to pods.
 *
 * @param allocatable what pods may request ({@code status.allocatable})
 * @param taints taints with effect NoSchedule or NoExecute, but for those by which Kubernetes marks
 *     a node that is cordoned or not Ready
 */
public record NodeRoom(Amounts allocatable, List<NodeTaint> taints) {
  /** Of a node of which nothing of it is known. */
  public static final NodeRoom UNKNOWN = new NodeRoom(Amounts.NONE, List.of());

  public NodeRoom {
    taints = List.copyOf(taints);
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
