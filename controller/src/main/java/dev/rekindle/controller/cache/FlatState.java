package dev.rekindle.controller.cache;

import dev.rekindle.api.Scorecard;
import dev.rekindle.controller.model.AscendView;
import dev.rekindle.controller.model.DraView;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeUse;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.OrderView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.QueueView;
import dev.rekindle.controller.model.QueuedJob;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.model.RestartView;
import dev.rekindle.controller.model.SpareView;
import dev.rekindle.controller.model.WorkloadView;
import dev.rekindle.controller.network.ClusterNetworks;
import dev.rekindle.controller.network.EndpointView;
import dev.rekindle.controller.port.Changes;
import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.detect.node.DeviceSlice;
import dev.rekindle.detect.node.DeviceTaint;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The flat views in memory. They come in through one {@link ViewFeed} per kind; what changed is
 * reported to {@link Changes}.
 */
public final class FlatState implements ClusterState {
  private final Changes changes;
  private final Table<JobView> jobs = new Table<>();
  private final Table<JobView>.Index<JobKey> jobsByKey = jobs.index(JobView::key);
  private final PodTables pods = new PodTables();
  private final SpareTables spares = new SpareTables();
  private final Table<NodeView> nodes = new Table<>();
  private final NodeFaults faults = new NodeFaults();
  private final DeviceTaints deviceTaints = new DeviceTaints();
  private final Table<AscendView> ascend = new Table<>();
  private final Table<AscendView>.Index<String> ascendByNode = ascend.index(AscendView::node);
  private final PodPlaces places;
  private final ReportTables reports = new ReportTables();
  private final RecoveryTables recoveries = new RecoveryTables();
  private final Table<OrderView> orders = new Table<>();
  private final Table<OrderView>.Index<JobKey> ordersByJob = orders.index(OrderView::job);
  private final Table<WorkloadView> workloads = new Table<>();
  private final Table<WorkloadView>.Index<String> workloadsByJob =
      workloads.index(WorkloadView::jobUid);
  private final Table<QueueView> queues = new Table<>();
  private final NetworkTables networks = new NetworkTables(this::addressesCame);
  private final Table<Policy> policies = new Table<>();
  private final Scorecards scorecards = new Scorecards();

  /** Reports to the given what has to be reconciled again; what was before it began is believed. */
  public FlatState(Changes changes) {
    this(changes, Instant.MAX);
  }

  /**
   * The same, for a process that has seen each pod since then.
   *
   * @param since when its watches began
   */
  public FlatState(Changes changes, Instant since) {
    this.changes = changes;
    this.places = new PodPlaces(since);
  }

  @Override
  public Optional<JobView> job(JobKey key) {
    return jobsByKey.get(key).stream()
        .findFirst()
        .map(job -> QueuedJob.with(job, workloadsByJob.get(job.uid())));
  }

  @Override
  public List<PodView> pods(JobKey key) {
    return pods.of(key);
  }

  @Override
  public List<PodView> podsOn(String node) {
    return pods.on(node);
  }

  @Override
  public Map<String, NodeUse> used() {
    return pods.used();
  }

  @Override
  public List<SpareView> spares(JobKey key) {
    return spares.of(key);
  }

  @Override
  public List<SpareView> spares() {
    return spares.all();
  }

  @Override
  public Optional<NodeView> node(String name) {
    return nodes.get(name);
  }

  /** The node as it was last seen, with the version that a write in its place must name. */
  public Optional<Table.Versioned<NodeView>> nodeToWrite(String name) {
    return nodes.versioned(name);
  }

  @Override
  public List<NodeView> nodes() {
    return nodes.all();
  }

  @Override
  public List<FaultView> faults(String node) {
    return faults.on(node);
  }

  @Override
  public DraView dra(String node) {
    return deviceTaints.on(node);
  }

  @Override
  public List<AscendView> ascend(String node) {
    return ascendByNode.get(node);
  }

  @Override
  public List<String> nodesWithFaults() {
    return faults.nodes();
  }

  @Override
  public List<FaultView> faultsOfCode(String code) {
    return faults.ofCode(code);
  }

  @Override
  public int faultsLeftOut(String node) {
    return faults.leftOut(node);
  }

  @Override
  public boolean knowsVictim(String node, FaultView.Incident incident) {
    return places.had(node, incident);
  }

  @Override
  public List<RankView> ranks(JobKey key) {
    return reports.ranks(key);
  }

  @Override
  public List<RecoveryView> recoveries(JobKey key) {
    return recoveries.of(key);
  }

  @Override
  public List<RecoveryView> recoveries() {
    return recoveries.all();
  }

  @Override
  public List<RecoveryView> recoveriesIn(String namespace) {
    return recoveries.in(namespace);
  }

  @Override
  public Optional<RecoveryView> recovery(String namespace, String name) {
    return recoveries.get(namespace, name);
  }

  @Override
  public List<OrderView> orders(JobKey key) {
    return ordersByJob.get(key);
  }

  @Override
  public List<RestartView> restarts(JobKey key) {
    return reports.restarts(key);
  }

  @Override
  public List<QueueView> queues() {
    return queues.all();
  }

  @Override
  public ClusterNetworks networks() {
    return networks.now();
  }

  @Override
  public Optional<EndpointView> endpoint(String namespace, String pod) {
    return networks.endpoint(namespace, pod);
  }

  /** Where objects of Spiderpool, and what goes with them, come in. */
  public NetworkTables networkTables() {
    return networks;
  }

  /** What waits for them is the job of an open recovery. */
  private void addressesCame() {
    recoveries.open().forEach(recovery -> changes.job(recovery.job()));
  }

  @Override
  public List<String> policies() {
    return scorecards.policies();
  }

  @Override
  public Scorecard scorecard(String policy) {
    return scorecards.of(policy);
  }

  @Override
  public Optional<Policy> policy(String name) {
    return policies.get(name);
  }

  /** Jobs that have a pod on the node. */
  public List<JobKey> jobsOn(String node) {
    return podsOn(node).stream().map(PodView::job).distinct().toList();
  }

  /** All jobs known. */
  public List<JobKey> jobs() {
    return jobs.all().stream().map(JobView::key).toList();
  }

  /** Takes a recovery as the API server has just created it, ahead of its watch event. */
  public void created(RecoveryView recovery) {
    recoveries.created(recovery);
  }

  /** Takes a recovery as the API server has just stored it, ahead of its watch event. */
  public void stored(RecoveryView recovery) {
    recoveries.stored(recovery);
  }

  /** Drops a recovery of which the API server has just said that it is not there. */
  public void gone(RecoveryView recovery) {
    recoveryFeed().gone(RecoveryTables.key(recovery), recovery.resourceVersion());
  }

  /** Jobs, keyed {@code namespace/name} like everything that has a namespace. */
  public ViewFeed<JobView> jobFeed() {
    return new TableFeed<>(jobs, view -> changes.job(view.key())) {
      @Override
      public void present(String key, @Nullable String resourceVersion, JobView view) {
        Optional<JobView> before = jobs.get(key);
        super.present(key, resourceVersion, view);
        if (before.filter(view::requestsTheSame).isEmpty()) {
          faultyNodesOf(view.key()).forEach(changes::node);
        }
      }
    };
  }

  private List<String> faultyNodesOf(JobKey job) {
    return pods(job).stream()
        .map(PodView::node)
        .distinct()
        .filter(node -> !faults(node).isEmpty())
        .toList();
  }

  /** Pods of training jobs. */
  public ViewFeed<PodView> podFeed() {
    return pods.feed(
        view -> {
          places.add(view);
          changes.job(view.job());
          if (showsOnNode(view) || !faults(view.node()).isEmpty()) {
            // Whether a faulty node is fenced depends on whose pods it carries.
            changes.node(view.node());
          }
        });
  }

  /** Warm spares. */
  public ViewFeed<SpareView> spareFeed() {
    return spares.feed(changes);
  }

  /** Nodes, keyed by name like everything that has no namespace. */
  public ViewFeed<NodeView> nodeFeed() {
    return new TableFeed<>(nodes, view -> nodeAndItsJobs(view.name())) {
      @Override
      public void present(String key, @Nullable String resourceVersion, NodeView view) {
        super.present(key, resourceVersion, nodes.get(key).map(view::after).orElse(view));
      }
    };
  }

  /** Node faults. */
  public ViewFeed<FaultView> faultFeed() {
    return faults.feed(view -> nodeAndItsJobs(view.node()), changes::node);
  }

  /** ResourceSlices. */
  public ViewFeed<DeviceSlice> sliceFeed() {
    return deviceTaints.sliceFeed(changes::node);
  }

  /** DeviceTaintRules. */
  public ViewFeed<DeviceTaint> taintRuleFeed() {
    return deviceTaints.ruleFeed(changes::node);
  }

  /** MindCluster's ConfigMaps. */
  public ViewFeed<AscendView> ascendFeed() {
    return new TableFeed<>(ascend, view -> changes.node(view.node()));
  }

  /** Rank reports. */
  public ViewFeed<RankView> rankFeed() {
    return reports.rankFeed(changes::job);
  }

  /** Recoveries. */
  public ViewFeed<RecoveryView> recoveryFeed() {
    return recoveries.feed(
        view -> {
          places.add(view);
          changes.job(view.job());
        });
  }

  /** Orders to restart in place. */
  public ViewFeed<OrderView> orderFeed() {
    return new TableFeed<>(orders, view -> changes.job(view.job()));
  }

  /** What agents report on such orders. */
  public ViewFeed<RestartView> restartFeed() {
    return reports.restartFeed(changes::job);
  }

  /** Workloads of Kueue. */
  public ViewFeed<WorkloadView> workloadFeed() {
    return new TableFeed<>(
        workloads,
        view -> {
          changes.job(view.job());
          faultyNodesOf(view.job()).forEach(changes::node);
        });
  }

  /** ClusterQueues of Kueue. */
  public ViewFeed<QueueView> queueFeed() {
    return new TableFeed<>(
        queues, view -> Optional.ofNullable(view.holdingJob()).ifPresent(changes::job));
  }

  /** Policies. */
  public ViewFeed<Policy> policyFeed() {
    return new TableFeed<>(
        policies,
        _ -> {
          jobs().forEach(changes::job);
          nodes().forEach(node -> changes.node(node.name()));
        });
  }

  /** Whether the pod bears on what is wrong with its node. */
  private boolean showsOnNode(PodView pod) {
    return !pod.devices().unhealthy().isEmpty()
        || node(pod.node()).filter(n -> !n.signs().shortfalls().isEmpty()).isPresent();
  }

  /** What policies would have done. */
  public ViewFeed<Scorecard> scorecardFeed() {
    return scorecards;
  }

  private void nodeAndItsJobs(String node) {
    changes.node(node);
    jobsOn(node).forEach(changes::job);
    spares.on(node).forEach(spare -> changes.job(spare.job()));
  }
}
