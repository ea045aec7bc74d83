package dev.rekindle.controller.cache;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.NodeUse;
import dev.rekindle.controller.model.PodView;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Pods of training jobs, by job and by node. */
final class PodTables {
  private final Table<PodView> pods = new Table<>();
  private final Table<PodView>.Index<JobKey> byJob = pods.index(PodView::job);
  private final Table<PodView>.Index<String> byNode = pods.index(PodView::node);
  private final Table<PodView>.Sums<String, NodeUse> used = byNode.sums(PodTables::use);

  /** Pods that wait for a node have none in common. */
  private static Optional<NodeUse> use(List<PodView> pods) {
    return pods.isEmpty() || pods.getFirst().node().isEmpty() ? Optional.empty() : NodeUse.of(pods);
  }

  List<PodView> of(JobKey job) {
    return byJob.get(job);
  }

  List<PodView> on(String node) {
    return byNode.get(node);
  }

  /** What live ones hold, by node. */
  Map<String, NodeUse> used() {
    return used.get();
  }

  ViewFeed<PodView> feed(Consumer<PodView> changed) {
    return new TableFeed<>(pods, changed);
  }
}
