package dev.rekindle.controller.recovery;

import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeUse;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.port.ClusterState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the pods of other jobs hold on nodes. Each recovery that is held asks every few seconds, and
 * a large cluster has a hundred thousand pods: what all jobs hold is put together once for all who
 * ask, and the pods of those nodes alone are gone through that have pods of the job itself.
 */
final class OtherGangs {
  /**
   * What others hold.
   *
   * @param taken GPUs, by node; nodes without any are left out
   * @param held all that they request, by node
   */
  record Held(Map<String, Long> taken, Map<String, Amounts> held) {
    static final Held NOTHING = new Held(Map.of(), Map.of());

    Held {
      taken = Map.copyOf(taken);
      held = Map.copyOf(held);
    }
  }

  /** What the jobs of all of these nodes hold, as it was last put together. */
  private record All(Map<String, NodeUse> used, Map<String, NodeView> nodes, Held held) {}

  private final ClusterState state;
  private volatile All all = new All(Map.of(), Map.of(), Held.NOTHING);

  OtherGangs(ClusterState state) {
    this.state = state;
  }

  /**
   * What others hold on these nodes.
   *
   * @param job the job that asks; absent where all are others
   */
  Held on(Map<String, NodeView> nodes, @Nullable JobView job) {
    All now = all(nodes);
    List<String> own = job == null ? List.of() : own(now, job.uid());
    if (job == null || own.isEmpty()) {
      return now.held();
    }
    Map<String, Long> taken = new HashMap<>(now.held().taken());
    Map<String, Amounts> held = new HashMap<>(now.held().held());
    for (String node : own) {
      taken.remove(node);
      held.remove(node);
      others(node, job.uid()).ifPresent(use -> add(node, use, taken, held));
    }
    return new Held(taken, held);
  }

  /** Both maps are the same objects until a pod or a node changes. */
  @SuppressWarnings("ReferenceEquality")
  private All all(Map<String, NodeView> nodes) {
    Map<String, NodeUse> used = state.used();
    All known = all;
    if (known.used() != used || known.nodes() != nodes) {
      Map<String, Long> taken = new HashMap<>();
      Map<String, Amounts> held = new HashMap<>();
      used.forEach(
          (node, use) -> {
            if (nodes.containsKey(node)) {
              add(node, use, taken, held);
            }
          });
      known = new All(used, nodes, new Held(taken, held));
      all = known;
    }
    return known;
  }

  private static void add(
      String node, NodeUse use, Map<String, Long> taken, Map<String, Amounts> held) {
    if (use.gpus() > 0) {
      taken.put(node, use.gpus());
    }
    held.put(node, use.requests());
  }

  private static List<String> own(All now, String job) {
    return now.used().entrySet().stream()
        .filter(entry -> entry.getValue().jobs().contains(job))
        .map(Map.Entry::getKey)
        .filter(now.nodes()::containsKey)
        .toList();
  }

  private Optional<NodeUse> others(String node, String job) {
    List<PodView> pods = state.podsOn(node);
    return NodeUse.of(pods.stream().filter(p -> !p.jobUid().equals(job)).toList());
  }
}
