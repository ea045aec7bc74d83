package dev.rekindle.controller.placement;

import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Replica;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodNeeds;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What one pod requests: pods alike in that are counted together. */
record PodSize(long gpus, PodNeeds needs, Rails rails) {
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof PodSize size && size.gpus == gpus && size.needs.equals(needs);
  }

  @Override
  public int hashCode() {
    return Objects.hash(gpus, needs);
  }

  /** Whether the template keeps no such pod off the node. */
  boolean isMeantFor(NodeView node) {
    return NodeFit.keptOff(node, replica()).isEmpty();
  }

  /** The same as if all nodes reached its volumes. */
  PodSize withoutVolumes() {
    return new PodSize(gpus, needs.withVolumes(List.of()), rails);
  }

  /** A replica type of one such pod. */
  Replica replica() {
    return new Replica("", 1, JobView.RestartPolicy.NEVER, gpus, needs);
  }
}
