package dev.rekindle.simulator.process;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.checkpoint.CheckpointReach;
import dev.rekindle.controller.checkpoint.NodeReports;
import dev.rekindle.controller.checkpoint.NodesToInspect;
import dev.rekindle.controller.diagnosis.NodeFacts;
import dev.rekindle.controller.kubernetes.convert.InspectorJob;
import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodNeeds;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.model.TrackerOrder;
import dev.rekindle.controller.model.TrackerView;
import dev.rekindle.controller.placement.Exclusions;
import dev.rekindle.controller.placement.PossibleNodes;
import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.world.InspectorObject;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.Tracker;
import dev.rekindle.simulator.world.World;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Calls about checkpoint inspectors. */
final class InspectorCalls {
  private final World world;
  private final ApiCalls api;
  private final JobCalls jobs;
  private final ClusterState state;
  private final InstantSource clock;
  private final NodeReports reports = new NodeReports();

  /**
   * @param state the state that its process keeps
   * @param clock that of the process
   */
  InspectorCalls(
      World world, ApiCalls api, JobCalls jobs, ClusterState state, InstantSource clock) {
    this.world = world;
    this.api = api;
    this.state = state;
    this.clock = clock;
    this.jobs = jobs;
  }

  Optional<Inspection.Unable> start(JobKey key, String uid, String recovery) {
    JobObject job = jobs.get(key, uid);
    Meta draft = Meta.draft(key.namespace(), InspectorJob.name(recovery), job.meta().uid());
    return api.call(
        () -> {
          Optional<Inspection.Unable> away = away(job);
          if (away.isPresent()) {
            return away;
          }
          return job.setup().eachNode()
              ? startOnEach(job, draft, recovery)
              : create(new InspectorObject(draft, key));
        });
  }

  private Optional<Inspection.Unable> create(InspectorObject inspector) {
    if (world.inspectors().find(inspector.meta().key()).isEmpty()) {
      world.namespaces().admit(inspector.meta().namespace());
      world.inspectors().create(inspector);
    }
    return Optional.empty();
  }

  /** On each node of the gang, as far as it is known to this process. */
  private Optional<Inspection.Unable> startOnEach(JobObject job, Meta draft, String recovery) {
    JobKey key = job.key();
    NavigableSet<String> pods = new TreeSet<>();
    for (PodView pod : state.pods(key)) {
      if (pod.jobUid().equals(job.meta().uid()) && !pod.node().isEmpty()) {
        pods.add(pod.node());
      }
    }
    Optional<RecoveryView> view = state.recovery(key.namespace(), recovery);
    Optional<RecoveryStatus> status = view.map(RecoveryView::status);
    NavigableSet<String> gang =
        view.map(r -> NodesToInspect.ofGang(pods, r, state.recoveries(key))).orElse(pods);
    List<String> unfit = status.map(RecoveryStatus::cause).map(this::excluded).orElse(List.of());
    List<NodeView> others = PossibleNodes.of(job.view(), state.nodes());
    return switch (NodesToInspect.of(
        job.view().checkpointDir(), gang, state::node, unfit, others)) {
      case NodesToInspect.None(String reason) -> Optional.of(new Inspection.Unable(reason));
      case NodesToInspect.Some some -> {
        reports.forget(key.namespace() + "/" + recovery);
        yield create(new InspectorObject(draft, key, some.nodes(), some.away()));
      }
    };
  }

  private List<String> excluded(RecoveryStatus.Cause cause) {
    Map<String, NodeView> nodes = new HashMap<>();
    cause.silentNodes().forEach(n -> state.node(n).ifPresent(view -> nodes.put(n, view)));
    Instant now = clock.instant();
    List<FaultView> faults =
        cause.faultyNodes().stream()
            .flatMap(n -> NodeFacts.faults(state, n, now).stream())
            .toList();
    return Exclusions.of(cause, nodes, faults);
  }

  /** As the real gateway says it of a claim whose volume is on one node. */
  private Optional<Inspection.Unable> away(JobObject job) {
    String home = world.gang(job.meta().uid()).training().storage().home();
    if (home == null) {
      return Optional.empty();
    }
    var volume =
        new CheckpointReach.Volume(
            "claim ckpt",
            "lvm.hwameistor.io",
            new PodNeeds(
                Amounts.NONE,
                Map.of(),
                List.of(
                    new PodNeeds.Term(
                        List.of(),
                        List.of(new PodNeeds.Condition("metadata.name", "In", List.of(home))))),
                List.of(),
                false));
    var nodes = world.nodes().list().stream().map(NodeObject::view).toList();
    return switch (CheckpointReach.of(volume, nodes, Set.of())) {
      case CheckpointReach.Within _ -> Optional.empty();
      case CheckpointReach.Away(String reason) -> Optional.of(new Inspection.Unable(reason, true));
    };
  }

  Inspection inspect(JobKey job, String recovery) {
    return api.call(() -> read(job, recovery));
  }

  private Inspection read(JobKey job, String recovery) {
    String key = job.namespace() + "/" + InspectorJob.name(recovery);
    InspectorObject inspector = world.inspectors().find(key).orElse(null);
    return inspector == null || inspector.nodes().isEmpty()
        ? world.inspectorPods().inspection(key)
        : reports.read(
            job.namespace() + "/" + recovery,
            inspector.nodes(),
            inspector.away(),
            state.job(job).map(JobView::gpus).orElse(0L),
            node -> world.inspectorPods().inspection(inspector, node));
  }

  void startTracker(JobKey key, String uid, TrackerOrder order) {
    JobObject job = jobs.get(key, uid);
    api.call(
        () -> {
          world.namespaces().admit(key.namespace());
          world.inspectorPods().startTracker(job, order);
          return order;
        });
  }

  TrackerView tracker(JobKey key, String uid, TrackerOrder order) {
    JobObject job = jobs.get(key, uid);
    return api.call(
        () -> {
          Tracker tracker = tracker(job);
          if (!tracker.isStarted(order.attempt())) {
            return new TrackerView.Absent();
          }
          return tracker
              .change(order.attempt())
              .<TrackerView>map(TrackerView.Ended::new)
              .orElseGet(() -> new TrackerView.Pending("its pod is Pending"));
        });
  }

  private Tracker tracker(JobObject job) {
    return world.gang(job.meta().uid()).training().storage().tracker().orElseThrow();
  }

  void stop(JobKey job, String recovery) {
    reports.forget(job.namespace() + "/" + recovery);
    String key = job.namespace() + "/" + InspectorJob.name(recovery);
    var _ =
        api.find(
            () -> {
              world.inspectors().delete(key, "", null);
              return key;
            });
  }
}
