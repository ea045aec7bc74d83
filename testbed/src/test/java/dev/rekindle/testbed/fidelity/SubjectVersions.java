package dev.rekindle.testbed.fidelity;

import dev.rekindle.controller.kubernetes.convert.NodeReader;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.testbed.fidelity.RealCluster.JobNews;
import dev.rekindle.testbed.fidelity.RealCluster.NodeNews;
import dev.rekindle.testbed.fidelity.RealCluster.PodNews;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Versions of the objects of one scenario, in the order in which watches have shown them. To be
 * used under the lock of the cluster.
 */
final class SubjectVersions implements Consumer<Object> {
  private final String prefix;
  private final String node;
  private final List<ObjectVersion> versions = new ArrayList<>();
  private final Map<String, Pod> running = new HashMap<>();

  /**
   * @param prefix what the names of the scenario's jobs begin with
   * @param node its lone node, or an empty string
   */
  SubjectVersions(String prefix, String node) {
    this.prefix = prefix;
    this.node = node;
  }

  /** All that have been shown so far. */
  List<ObjectVersion> all() {
    return List.copyOf(versions);
  }

  /** The pod of that UID as it was shown last while it ran. */
  @Nullable Pod ran(String uid) {
    return running.get(uid);
  }

  /** Runs under the lock of the cluster. */
  @Override
  public void accept(Object news) {
    Instant now = Instant.now();
    switch (news) {
      case PodNews(Pod pod, boolean gone) when ours(RealCluster.view(pod).job().name()) -> {
        PodView view = RealCluster.view(pod);
        versions.add(ObjectVersion.of(now, version(pod), letter(view.job().name()), view, gone));
        if (view.phase() == PodView.Phase.RUNNING) {
          running.put(view.uid(), pod);
        }
      }
      case JobNews(var job, boolean gone) when ours(job.getMetadata().getName()) ->
          versions.add(
              ObjectVersion.of(
                  now,
                  Long.parseLong(job.getMetadata().getResourceVersion()),
                  letter(job.getMetadata().getName()),
                  RealCluster.view(job),
                  gone));
      case NodeNews(var seen) when seen.getMetadata().getName().equals(node) ->
          versions.add(
              ObjectVersion.of(
                  now,
                  Long.parseLong(seen.getMetadata().getResourceVersion()),
                  "lone",
                  NodeReader.read(seen)));
      default -> {}
    }
  }

  private static long version(Pod pod) {
    return Long.parseLong(pod.getMetadata().getResourceVersion());
  }

  private boolean ours(String job) {
    return job.startsWith(prefix);
  }

  private String letter(String job) {
    return job.substring(prefix.length());
  }
}
