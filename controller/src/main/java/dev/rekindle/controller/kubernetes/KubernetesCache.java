package dev.rekindle.controller.kubernetes;

import dev.rekindle.controller.cache.FlatState;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.port.Changes;
import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.controller.runtime.Backoff;
import dev.rekindle.detect.WatchedNamespaces;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;
import java.util.function.Predicate;

/** The cluster's state, kept current by one watch per kind over fabric8. */
public final class KubernetesCache implements AutoCloseable {
  /** Dynamic resource allocation comes with a cluster's version, Kueue by a person's hand. */
  private static final Duration SELDOM = Duration.ofMinutes(5);

  private static final Duration SOON = Duration.ofSeconds(30);

  private static final OptionalWatch.Kind SLICES =
      new OptionalWatch.Kind("resource.k8s.io", "resourceslices", "ResourceSlice", false, SELDOM);
  private static final OptionalWatch.Kind TAINT_RULES =
      new OptionalWatch.Kind(
          "resource.k8s.io", "devicetaintrules", "DeviceTaintRule", false, SELDOM);
  private static final OptionalWatch.Kind WORKLOADS =
      new OptionalWatch.Kind("kueue.x-k8s.io", "workloads", "Workload", true, SOON);
  private static final OptionalWatch.Kind QUEUES =
      new OptionalWatch.Kind("kueue.x-k8s.io", "clusterqueues", "ClusterQueue", false, SOON);

  private final FlatState state;
  private final List<Watch> watches;

  /**
   * @param changes receives what needs another reconcile, from {@link #start()} on
   * @param timer runs restarts of watches
   * @param retry pauses before a watch that could not start is started again
   * @param namespaces whose jobs are watched
   * @param ascend whether to watch the ConfigMaps of Huawei's MindCluster
   * @param conditions the types of conditions of nodes that are read under a policy
   */
  public KubernetesCache(
      KubernetesClient client,
      Changes changes,
      ScheduledExecutorService timer,
      Backoff retry,
      WatchedNamespaces namespaces,
      boolean ascend,
      Function<Policy, Predicate<String>> conditions) {
    state = new FlatState(changes, InstantSource.system().instant());
    KeptConditions kept = new KeptConditions(conditions);
    KubernetesFeeds feeds = new KubernetesFeeds(state, kept, changes);
    Watched<Node> nodes =
        new Watched<>(
            "nodes", Node::new, () -> client.nodes(), () -> false, feeds.nodes(), timer, retry);
    kept.whenChanged(nodes::again);
    watches = new ArrayList<>();
    watches.add(nodes);
    watches.addAll(new ObjectWatches(client, feeds, timer, retry).of(namespaces));
    watches.add(optional(client, SLICES, feeds.slices(), timer, retry));
    watches.add(optional(client, TAINT_RULES, feeds.taintRules(), timer, retry));
    for (String namespace : namespaces.places()) {
      watches.add(new OptionalWatch(client, WORKLOADS, namespace, feeds.workloads(), timer, retry));
    }
    watches.add(optional(client, QUEUES, feeds.queues(), timer, retry));
    watches.addAll(SpiderpoolWatches.of(client, feeds, namespaces, timer, retry));
    if (ascend) {
      watches.add(mindCluster(client, "kube-system", feeds, timer, retry));
      watches.add(mindCluster(client, "mindx-dl", feeds, timer, retry));
    }
  }

  private static Watch optional(
      KubernetesClient client,
      OptionalWatch.Kind kind,
      Feed<GenericKubernetesResource> feed,
      ScheduledExecutorService timer,
      Backoff retry) {
    return new OptionalWatch(client, kind, feed, timer, retry);
  }

  /** The device plugin keeps its notes in the one namespace, the node daemon in the other. */
  private static Watch mindCluster(
      KubernetesClient client,
      String namespace,
      KubernetesFeeds feeds,
      ScheduledExecutorService timer,
      Backoff retry) {
    return new Watched<>(
        "configmaps in " + namespace,
        ConfigMap::new,
        () -> client.configMaps().inNamespace(namespace),
        () -> false,
        feeds.ascend(),
        timer,
        retry);
  }

  /** Starts all watches; returns at once. */
  public void start() {
    watches.forEach(Watch::start);
  }

  /** Whether every kind that is installed has been taken in. */
  public boolean synced() {
    return watches.stream().allMatch(Watch::synced);
  }

  /**
   * For how long each watch has shown nothing, by kind; those silent for too long are restarted.
   */
  public Map<String, Duration> listen() {
    Map<String, Duration> ages = new TreeMap<>();
    watches.forEach(w -> w.listen().ifPresent(age -> ages.put(w.kind(), age)));
    return ages;
  }

  /** Where our own writes of recoveries are shown, ahead of their watch events. */
  FlatState own() {
    return state;
  }

  /** All jobs known. */
  public List<JobKey> jobs() {
    return state.jobs();
  }

  /** What the watches have shown so far; always the same, always current. */
  public ClusterState views() {
    return state;
  }

  /** The same, for who writes in place of what was seen. */
  FlatState flat() {
    return state;
  }

  @Override
  public void close() {
    watches.forEach(Watch::close);
  }
}
