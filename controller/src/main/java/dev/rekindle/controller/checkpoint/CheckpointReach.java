package dev.rekindle.controller.checkpoint;

import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.PodNeeds;
import dev.rekindle.detect.node.NodeOwner;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Whether a pod could read a volume with checkpoints now: a disk of one node is reached through
 * that node alone. Pure; what it does not know is no obstacle, the scheduler has the last word.
 */
public final class CheckpointReach {
  private static final int NAMED = 3;

  private CheckpointReach() {}

  /**
   * A volume.
   *
   * @param name what it is called in a sentence: {@code claim data}, {@code path /data of the host}
   * @param kind its driver, {@code lvm.hwameistor.io}, or {@code local}, {@code hostPath}; empty
   *     where it is not known
   * @param needs what a node must be for a pod to have the volume
   */
  public record Volume(String name, String kind, PodNeeds needs) {
    /** Kind of a volume that is a path of whichever node a pod is on. */
    public static final String HOST_PATH = "hostPath";

    /** Whether each node that has it has files of its own there. */
    public boolean isHostPath() {
      return kind.equals(HOST_PATH);
    }

    /** Whether it says by itself which nodes have it, or all reach it alike. */
    public boolean hasNodes() {
      return !isHostPath() || isBound(needs);
    }

    /** The same on the nodes that these needs select. */
    public Volume withNeeds(PodNeeds other) {
      return new Volume(name, kind, other);
    }

    /** Whether it is on the disks of nodes, by a driver that is known for that. */
    boolean isHwameiStor() {
      return kind.endsWith(".hwameistor.io");
    }
  }

  /** What was found. */
  public sealed interface Reach {}

  /** Some node can take a pod that reads it; so can any where that is not known. */
  public record Within() implements Reach {}

  /** No node can that has it; the reason says which claim, which nodes, and what to do. */
  public record Away(String reason) implements Reach {}

  /**
   * Checks the nodes that have the volume.
   *
   * @param nodes all nodes
   * @param unfit nodes that the recovery avoids
   */
  public static Reach of(Volume volume, Collection<NodeView> nodes, Set<String> unfit) {
    if (!isBound(volume.needs()) || nodes.isEmpty()) {
      return new Within();
    }
    List<NodeView> having = nodes.stream().filter(volume.needs()::selects).toList();
    if (having.stream().anyMatch(node -> closed(node, unfit).isEmpty())) {
      return new Within();
    }
    return new Away(reason(volume, having, unfit));
  }

  private static boolean isBound(PodNeeds needs) {
    return !needs.terms().isEmpty() || !needs.nodeSelector().isEmpty();
  }

  /** Why no pod of a recovery is put there; empty where one may be. */
  private static String closed(NodeView node, Set<String> unfit) {
    NodeOwner owner = node.owner();
    return switch (node.readiness()) {
      case SILENT -> "silent";
      case NOT_READY -> "not Ready";
      case READY ->
          unfit.contains(node.name()) || node.fencedByUs()
              ? "faulty"
              : node.unschedulable()
                  ? "cordoned"
                  : owner == null ? "" : "left to %s".formatted(owner.who());
    };
  }

  private static String comesBack(List<NodeView> having, Set<String> unfit) {
    if (having.stream().anyMatch(node -> node.readiness() != Readiness.READY)) {
      return "bring it back";
    }
    return having.stream().allMatch(node -> closed(node, unfit).startsWith("left to "))
        ? "wait until it is released"
        : "repair and release it";
  }

  private static String reason(Volume volume, List<NodeView> having, Set<String> unfit) {
    String kind = volume.kind().isEmpty() ? "" : " (" + volume.kind() + ")";
    if (having.isEmpty()) {
      return "%s%s has the only copy of the checkpoints, and is on nodes that are no part of the cluster; %s"
          .formatted(volume.name(), kind, whatToDo(volume, "bring such a node back"));
    }
    String named =
        having.stream()
            .limit(NAMED)
            .map(node -> node.name() + " (" + closed(node, unfit) + ")")
            .collect(Collectors.joining(", "));
    String more = having.size() > NAMED ? " and " + (having.size() - NAMED) + " more" : "";
    return "%s%s has the only copy of the checkpoints, on node%s %s%s; %s"
        .formatted(
            volume.name(),
            kind,
            having.size() == 1 ? "" : "s",
            named,
            more,
            whatToDo(volume, comesBack(having, unfit)));
  }

  private static String whatToDo(Volume volume, String first) {
    return first
        + (volume.isHwameiStor()
            ? ", or label the node hwameistor.io/failover=start where another one has a replica"
            : "")
        + ", or let the script begin without it: rekindle.dev/checkpoint-unreachable: script";
  }
}
