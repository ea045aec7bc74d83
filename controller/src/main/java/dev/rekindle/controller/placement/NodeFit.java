package dev.rekindle.controller.placement;

import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.BoundVolume;
import dev.rekindle.controller.model.JobView.Replica;
import dev.rekindle.controller.model.NodeRoom.NodeTaint;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.detect.node.NodeOwner;
import java.util.Collection;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Whether a node can take pods of a replica type, and why not. An upper bound, so that nothing is
 * refused that the scheduler could place: of what occupies a node only the pods of training jobs
 * count, and what is not known of a node or a template is no obstacle.
 */
final class NodeFit {
  private NodeFit() {}

  /** Why nothing new goes onto the node, whatever requests it; empty where it may. */
  static String closed(NodeView node, Collection<String> excluded) {
    if (node.fencedByUs()) {
      return "fenced";
    }
    NodeOwner owner = node.owner();
    if (owner != null && node.leftToOthers()) {
      return "left to " + owner.who();
    }
    if (node.unschedulable()) {
      return "cordoned";
    }
    return switch (node.readiness()) {
      case SILENT -> "silent";
      case NOT_READY -> "not Ready";
      case READY -> excluded.contains(node.name()) ? "excluded" : "";
    };
  }

  /**
   * Why the template of a replica type, or a volume of its claims, keeps its pods off the node;
   * empty where neither does.
   */
  static String keptOff(NodeView node, Replica replica) {
    if (!replica.needs().selects(node)) {
      return "not in the job's node selector or affinity";
    }
    Optional<BoundVolume> beyond = replica.needs().outOfReach(node);
    if (beyond.isPresent()) {
      return "out of reach of claim " + beyond.get().claim();
    }
    Optional<NodeTaint> taint =
        node.room().taints().stream().filter(t -> !replica.needs().tolerates(t)).findFirst();
    return taint.map(t -> "taint " + t).orElse("");
  }

  /**
   * How many pods of a replica type fit beside what is taken already.
   *
   * @param gpus GPUs that are taken
   * @param taken everything that is taken
   */
  static long places(NodeView node, Replica replica, long gpus, Amounts taken) {
    long places =
        replica.gpus() == 0 ? Integer.MAX_VALUE : Math.max(0, node.gpus() - gpus) / replica.gpus();
    Amounts free = node.room().allocatable().minus(taken);
    for (var need : replica.needs().requests().values().entrySet()) {
      if (counts(node, need.getKey())) {
        places = Math.min(places, Math.max(0, free.get(need.getKey())) / need.getValue());
      }
    }
    return places;
  }

  /**
   * Which resource keeps even one pod off the node, and how much of it is free.
   *
   * @param title how people call a resource
   */
  static String shortOf(
      NodeView node, Replica replica, long gpus, Amounts taken, UnaryOperator<String> title) {
    Amounts free = node.room().allocatable().minus(taken);
    for (var need : replica.needs().requests().values().entrySet()) {
      long left = Math.max(0, free.get(need.getKey()));
      if (counts(node, need.getKey()) && left < need.getValue()) {
        return "short of %s: %s free, %s needed"
            .formatted(
                title.apply(need.getKey()),
                shown(need.getKey(), left),
                shown(need.getKey(), need.getValue()));
      }
    }
    return "short of GPUs: %d free, %d needed"
        .formatted(Math.max(0, node.gpus() - gpus), replica.gpus());
  }

  /** A node that offers nothing at all is one of which nothing is known. */
  private static boolean counts(NodeView node, String resource) {
    return !node.room().allocatable().isEmpty() && !resource.startsWith("ephemeral-storage");
  }

  private static String shown(String resource, long amount) {
    return switch (resource) {
      case Amounts.CPU -> amount + "m";
      case Amounts.MEMORY -> (amount >> 20) + "Mi";
      default -> Long.toString(amount);
    };
  }
}
