package dev.rekindle.testbed.scale;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** When nodes were seen to be cordoned, by {@link System#nanoTime}, as a watch shows. */
final class Fences implements AutoCloseable {
  private static final Duration TICK = Duration.ofMillis(1);
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final KubernetesClient client;
  private final Map<String, Long> cordoned = new ConcurrentHashMap<>();
  private final Watch watch;

  Fences(KubernetesClient client) {
    this.client = client;
    watch =
        client
            .nodes()
            .watch(
                new Watcher<>() {
                  @Override
                  public void eventReceived(Action action, Node node) {
                    String name = node.getMetadata().getName();
                    if (Boolean.TRUE.equals(node.getSpec().getUnschedulable())) {
                      cordoned.putIfAbsent(name, System.nanoTime());
                    } else {
                      cordoned.remove(name);
                    }
                  }

                  @Override
                  public void onClose(WatcherException cause) {
                    // Without events nothing is ever seen, and the wait reports that.
                  }
                });
  }

  /** Waits until it is cordoned; when it was, in nanoseconds. */
  long await(String node) {
    return await(List.of(node)).values().stream().mapToLong(Long::longValue).max().orElseThrow();
  }

  /** Waits until all of them are cordoned; when each was, in nanoseconds. */
  Map<String, Long> await(Collection<String> nodes) {
    settle(nodes, true);
    Map<String, Long> times = new ConcurrentHashMap<>(cordoned);
    times.keySet().retainAll(nodes);
    return times;
  }

  /** Waits until none of them is. */
  void awaitReleased(Collection<String> nodes) {
    settle(nodes, false);
  }

  private void settle(Collection<String> nodes, boolean wanted) {
    long limit = System.nanoTime() + PATIENCE.toNanos();
    while (nodes.stream().anyMatch(node -> cordoned.containsKey(node) != wanted)) {
      if (System.nanoTime() > limit) {
        long done = nodes.stream().filter(n -> cordoned.containsKey(n) == wanted).count();
        throw new IllegalStateException(
            "%d of %d nodes were %s within %s"
                .formatted(done, nodes.size(), wanted ? "cordoned" : "released", PATIENCE));
      }
      Api.sleep(TICK);
    }
  }

  /** The call that a cordon is, with nothing around it. */
  void patch(String node, boolean unschedulable) {
    var _ =
        client
            .nodes()
            // Asked for by its name alone it would be read first.
            .resource(new NodeBuilder().withNewMetadata().withName(node).endMetadata().build())
            .patch(
                PatchContext.of(PatchType.JSON_MERGE),
                "{\"spec\": {\"unschedulable\": %s}}".formatted(unschedulable ? "true" : "null"));
  }

  @Override
  public void close() {
    watch.close();
  }
}
