package dev.rekindle.controller.placement;

import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Replica;
import dev.rekindle.controller.model.NodeView;
import java.util.Collection;
import java.util.List;

/** Nodes that could take a pod of a job if they had no other pods. Pure. */
public final class PossibleNodes {
  private PossibleNodes() {}

  /** Those of the first replica type: the master, where there is one. */
  public static List<NodeView> of(JobView job, Collection<NodeView> nodes) {
    return job.replicas().stream()
        .limit(1)
        .map(UnlistedResources.of(job.replicas(), nodes)::without)
        .flatMap(replica -> nodes.stream().filter(node -> takes(node, replica)))
        .toList();
  }

  private static boolean takes(NodeView node, Replica replica) {
    return NodeFit.closed(node, List.of()).isEmpty()
        && NodeFit.keptOff(node, replica).isEmpty()
        && NodeFit.places(node, replica, 0, Amounts.NONE) > 0;
  }
}
