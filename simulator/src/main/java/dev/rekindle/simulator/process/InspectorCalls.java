package dev.rekindle.simulator.process;

import dev.rekindle.controller.checkpoint.CheckpointReach;
import dev.rekindle.controller.checkpoint.NodeReports;
import dev.rekindle.controller.checkpoint.NodesToInspect;
import dev.rekindle.controller.kubernetes.InspectedVolumes;
import dev.rekindle.controller.kubernetes.UnfitNodes;
import dev.rekindle.controller.kubernetes.convert.InspectorJob;
import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.BoundVolume;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodNeeds;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.model.TrackerOrder;
import dev.rekindle.controller.model.TrackerView;
import dev.rekindle.controller.placement.PossibleNodes;
import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.world.InspectorObject;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.Tracker;
import dev.rekindle.simulator.world.TrainingProgress;
import dev.rekindle.simulator.world.World;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Calls about checkpoint inspectors. */
final class InspectorCalls {
  private static final String DRIVER = "lvm.hwameistor.io";

  private final World world;
  private final ApiCalls api;
  private final JobCalls jobs;
  private final ClusterState state;
  private final UnfitNodes unfit;
  private final InspectedVolumes bound;
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
    this.unfit = new UnfitNodes(state, clock);
    this.bound = new InspectedVolumes(state, unfit);
    this.jobs = jobs;
  }

  Optional<Inspection.Unable> start(JobKey key, String uid, String recovery) {
    JobObject job = jobs.get(key, uid);
    Meta draft = Meta.draft(key.namespace(), InspectorJob.name(recovery), job.meta().uid());
    List<String> homes = training(job).homes();
    return api.call(
        () -> {
          if (training(job).storage().isOnEachNode()) {
            return startOnEach(job, draft, recovery);
          }
          bound.bind(
              key, recovery, homes.isEmpty() ? Optional.empty() : Optional.of(volume(homes)));
          Optional<Inspection.Unable> away = bound.away(key, recovery);
          if (away.isPresent()) {
            return away;
          }
          List<String> closed = unfit.of(key, recovery);
          return create(
              homes.isEmpty()
                  ? new InspectorObject(draft, key)
                  : InspectorObject.onVolume(
                      draft, key, homes.stream().filter(n -> !closed.contains(n)).toList()));
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
    NavigableSet<String> gang =
        view.map(r -> NodesToInspect.ofGang(pods, r, state.recoveries(key))).orElse(pods);
    List<NodeView> others = PossibleNodes.of(job.view(), state.nodes());
    return switch (NodesToInspect.of(
        job.view().checkpointDir(), gang, state::node, unfit.of(key, recovery), others)) {
      case NodesToInspect.None(String reason) -> Optional.of(new Inspection.Unable(reason));
      case NodesToInspect.Some some -> {
        bound.bind(key, recovery, Optional.empty());
        reports.forget(key.namespace() + "/" + recovery);
        yield create(new InspectorObject(draft, key, some.nodes(), some.away()));
      }
    };
  }

  /** As the real gateway reads the volume of a claim that some nodes reach. */
  private static CheckpointReach.Volume volume(List<String> homes) {
    return new CheckpointReach.Volume(
        "claim " + JobObject.CLAIM,
        DRIVER,
        new PodNeeds(Amounts.NONE, Map.of(), reached(homes), List.of(), false));
  }

  private static List<PodNeeds.Term> reached(List<String> homes) {
    return List.of(
        new PodNeeds.Term(
            List.of(), List.of(new PodNeeds.Condition("metadata.name", "In", homes))));
  }

  /** The volume of a claim; its pod is bound to a node before it is. */
  Optional<BoundVolume> volume(JobKey job, String claim) {
    return api.call(
        () ->
            world
                .jobs()
                .find(job.toString())
                .map(j -> training(j).homes())
                .filter(homes -> claim.equals(JobObject.CLAIM) && !homes.isEmpty())
                .map(homes -> new BoundVolume(claim, DRIVER, reached(homes))));
  }

  Inspection inspect(JobKey job, String recovery) {
    return api.call(() -> read(job, recovery));
  }

  private Inspection read(JobKey job, String recovery) {
    String key = job.namespace() + "/" + InspectorJob.name(recovery);
    InspectorObject inspector = world.inspectors().find(key).orElse(null);
    return inspector == null || inspector.nodes().isEmpty()
        ? ofOne(inspector, job, recovery)
        : reports.read(
            job.namespace() + "/" + recovery,
            inspector.nodes(),
            inspector.away(),
            state.job(job).map(JobView::gpus).orElse(0L),
            node -> world.inspectorPods().inspection(inspector, node));
  }

  private Inspection ofOne(@Nullable InspectorObject inspector, JobKey job, String recovery) {
    Inspection said =
        world.inspectorPods().inspection(job.namespace() + "/" + InspectorJob.name(recovery));
    return inspector == null ? said : bound.orAway(job, recovery, said);
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
    return training(job).storage().tracker().orElseThrow();
  }

  private TrainingProgress training(JobObject job) {
    return world.gang(job.meta().uid()).training();
  }

  void stop(JobKey job, String recovery) {
    bound.forget(job, recovery);
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
