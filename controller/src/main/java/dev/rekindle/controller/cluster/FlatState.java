package dev.rekindle.controller.cluster;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.RankReport;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPolicy;
import dev.rekindle.controller.job.JobReader;
import dev.rekindle.controller.job.NodeReader;
import dev.rekindle.controller.job.PodReader;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.kubeflow.v1.PyTorchJob;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The flat views in memory. Objects come in through one {@link Feed} per kind and are converted as
 * they arrive; what changed is told to {@link Changes}. An object that cannot be converted is
 * logged and counts as absent; it never disturbs the others.
 */
final class FlatState implements ClusterState {
  private static final Logger LOG = LoggerFactory.getLogger(FlatState.class);

  private final Changes changes;
  private final Table<JobView> jobs = new Table<>();
  private final Table<PodView> pods = new Table<>();
  private final Table<PodView>.Index<JobKey> podsByJob = pods.index(PodView::job);
  private final Table<PodView>.Index<String> podsByNode = pods.index(PodView::node);
  private final Table<NodeView> nodes = new Table<>();
  private final Table<FaultView> faults = new Table<>();
  private final Table<FaultView>.Index<String> faultsByNode = faults.index(FaultView::node);
  private final Table<RankView> ranks = new Table<>();
  private final Table<RankView>.Index<JobKey> ranksByJob = ranks.index(RankView::job);
  private final Table<RecoveryView> recoveries = new Table<>();
  private final Table<RecoveryView>.Index<JobKey> recoveriesByJob =
      recoveries.index(RecoveryView::job);
  private final Table<Policy> policies = new Table<>();

  FlatState(Changes changes) {
    this.changes = changes;
  }

  @Override
  public Optional<JobView> job(JobKey key) {
    return jobs.get(key.toString());
  }

  @Override
  public List<PodView> pods(JobKey key) {
    return podsByJob.get(key);
  }

  @Override
  public Optional<NodeView> node(String name) {
    return nodes.get(name);
  }

  @Override
  public List<NodeView> nodes() {
    return nodes.all();
  }

  @Override
  public List<FaultView> faults(String node) {
    return faultsByNode.get(node);
  }

  @Override
  public List<RankView> ranks(JobKey key) {
    return ranksByJob.get(key);
  }

  @Override
  public List<RecoveryView> recoveries(JobKey key) {
    return recoveriesByJob.get(key);
  }

  @Override
  public Optional<RecoveryView> recovery(String namespace, String name) {
    return recoveries.get(namespace + "/" + name);
  }

  @Override
  public Policy policy(String name) {
    return policies.get(name).orElse(Policy.DEFAULT);
  }

  /** Jobs that have a pod on the node. */
  List<JobKey> jobsOn(String node) {
    return podsByNode.get(node).stream().map(PodView::job).distinct().toList();
  }

  /** All jobs known. */
  List<JobKey> jobs() {
    return jobs.all().stream().map(JobView::key).toList();
  }

  /** Takes a recovery as the API server has just stored it, ahead of its watch event. */
  void stored(RecoveryView recovery) {
    recoveries.put(
        recovery.namespace() + "/" + recovery.name(), recovery.resourceVersion(), recovery);
  }

  Feed<PyTorchJob> jobFeed() {
    return feed(jobs, job -> Optional.of(JobReader.read(job)), view -> changes.job(view.key()));
  }

  Feed<Pod> podFeed() {
    return feed(pods, PodReader::read, view -> changes.job(view.job()));
  }

  Feed<Node> nodeFeed() {
    return feed(
        nodes, node -> Optional.of(NodeReader.read(node)), view -> nodeAndItsJobs(view.name()));
  }

  Feed<NodeFault> faultFeed() {
    return feed(faults, Views::fault, view -> nodeAndItsJobs(view.node()));
  }

  Feed<RankReport> rankFeed() {
    return feed(ranks, Views::rank, view -> changes.job(view.job()));
  }

  Feed<Recovery> recoveryFeed() {
    return feed(recoveries, Views::recovery, view -> changes.job(view.job()));
  }

  Feed<RecoveryPolicy> policyFeed() {
    return feed(
        policies,
        policy ->
            Optional.of(policy.getSpec() == null ? Policy.DEFAULT : Policy.of(policy.getSpec())),
        _ -> jobs().forEach(changes::job));
  }

  private void nodeAndItsJobs(String node) {
    changes.node(node);
    jobsOn(node).forEach(changes::job);
  }

  private <T extends HasMetadata, V> Feed<T> feed(
      Table<V> table, Function<T, Optional<V>> read, Consumer<V> changed) {
    return new Feed<>() {
      @Override
      public void present(T object) {
        String key = key(object.getMetadata());
        String version = object.getMetadata().getResourceVersion();
        Optional<V> view = convert(object, read);
        if (view.isEmpty()) {
          tell(table.remove(key, version));
          return;
        }
        Table.Write<V> write = table.put(key, version, view.get());
        if (write.applied() && !view.get().equals(write.previous())) {
          tell(write.previous());
          tell(view.get());
        }
      }

      @Override
      public void gone(T object) {
        tell(table.remove(key(object.getMetadata()), object.getMetadata().getResourceVersion()));
      }

      private void tell(@Nullable V view) {
        if (view != null) {
          changed.accept(view);
        }
      }
    };
  }

  private static <T extends HasMetadata, V> Optional<V> convert(
      T object, Function<T, Optional<V>> read) {
    try {
      return read.apply(object);
    } catch (RuntimeException unreadable) {
      LOG.atError()
          .addKeyValue("kind", object.getKind())
          .addKeyValue("namespace", object.getMetadata().getNamespace())
          .addKeyValue("name", object.getMetadata().getName())
          .addKeyValue("error", unreadable.toString())
          .log("Cannot read an object; it is treated as absent");
      return Optional.empty();
    }
  }

  private static String key(ObjectMeta meta) {
    String namespace = Objects.requireNonNullElse(meta.getNamespace(), "");
    return namespace.isEmpty() ? meta.getName() : namespace + "/" + meta.getName();
  }
}
