package dev.rekindle.controller.cli;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.cli.TextTable;
import java.util.ArrayList;
import java.util.List;

/**
 * What gives a node back.
 *
 * @param node its name
 * @param faults NodeFaults to delete, those that fence
 * @param uncordon whether the cordon is Rekindle's, and is lifted
 * @param foreignCordon whether somebody else has cordoned it, which stays
 * @param forgive whether its record of incidents and stalls is taken off
 */
public record ReleasePlan(
    String node, List<String> faults, boolean uncordon, boolean foreignCordon, boolean forgive) {
  public ReleasePlan {
    faults = List.copyOf(faults);
  }

  /**
   * A NodeFault of the node.
   *
   * @param active whether it is not cleared
   */
  public record Fault(String name, FenceGuidance fence, boolean active) {
    /** What is cleared, or never fences, keeps no pod off the node. */
    private boolean mayFence() {
      return active && fence != FenceGuidance.NEVER;
    }
  }

  /**
   * The node as it is.
   *
   * @param unschedulable whether it is cordoned
   * @param fencedBy what Rekindle fenced it for, empty where it did not
   * @param troubled whether it carries incidents or stalls of the past
   */
  public record Target(String name, boolean unschedulable, String fencedBy, boolean troubled) {}

  /**
   * What is to be done.
   *
   * @param forgive whether the past is to be forgotten as well
   */
  public static ReleasePlan of(Target node, List<Fault> faults, boolean forgive) {
    boolean ours = !node.fencedBy().isEmpty();
    return new ReleasePlan(
        node.name(),
        faults.stream().filter(Fault::mayFence).map(Fault::name).sorted().toList(),
        ours,
        node.unschedulable() && !ours,
        forgive && node.troubled());
  }

  /** Whether there is nothing to do. */
  public boolean empty() {
    return faults.isEmpty() && !uncordon && !forgive;
  }

  /** One line for each thing that is done, or is left on purpose. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    faults.forEach(fault -> lines.add("delete nodefault/" + fault));
    if (uncordon) {
      lines.add("uncordon node/" + node);
    }
    if (foreignCordon) {
      lines.add("leave the cordon of node/" + node + ": it is not Rekindle's");
    }
    if (forgive) {
      lines.add("forget the incidents and stalls of node/" + node);
    }
    return lines.stream().map(TextTable::printable).toList();
  }
}
