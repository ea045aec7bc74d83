package dev.rekindle.controller.recovery;

import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.port.ClusterState;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the pods of other jobs hold on nodes. */
final class OtherGangs {
  private final ClusterState state;

  OtherGangs(ClusterState state) {
    this.state = state;
  }

  /** GPUs that others hold, by node. */
  Map<String, Long> taken(@Nullable JobView job, Collection<String> nodes) {
    Map<String, Long> taken = new HashMap<>();
    for (String node : nodes) {
      long gpus = others(job, node).stream().mapToLong(PodView::gpus).sum();
      if (gpus > 0) {
        taken.put(node, gpus);
      }
    }
    return taken;
  }

  /** Requests of others, by node. */
  Map<String, Amounts> held(@Nullable JobView job, Collection<String> nodes) {
    Map<String, Amounts> held = new HashMap<>();
    for (String node : nodes) {
      for (PodView pod : others(job, node)) {
        held.merge(node, pod.requests(), Amounts::plus);
      }
    }
    return held;
  }

  private List<PodView> others(@Nullable JobView job, String node) {
    return state.podsOn(node).stream()
        .filter(p -> p.live() && (job == null || !p.jobUid().equals(job.uid())))
        .toList();
  }
}
