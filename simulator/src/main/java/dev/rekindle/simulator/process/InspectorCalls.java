package dev.rekindle.simulator.process;

import dev.rekindle.controller.checkpoint.CheckpointReach;
import dev.rekindle.controller.kubernetes.convert.InspectorJob;
import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.PodNeeds;
import dev.rekindle.controller.model.TrackerOrder;
import dev.rekindle.controller.model.TrackerView;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.world.InspectorObject;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.Tracker;
import dev.rekindle.simulator.world.World;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Calls about checkpoint inspectors. */
final class InspectorCalls {
  private final World world;
  private final ApiCalls api;
  private final JobCalls jobs;

  InspectorCalls(World world, ApiCalls api, JobCalls jobs) {
    this.world = world;
    this.api = api;
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
          if (world.inspectors().find(draft.key()).isEmpty()) {
            world.namespaces().admit(key.namespace());
            world.inspectors().create(new InspectorObject(draft, key, null));
          }
          return Optional.empty();
        });
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
    return api.call(
        () ->
            world.inspectorPods().inspection(job.namespace() + "/" + InspectorJob.name(recovery)));
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
    String key = job.namespace() + "/" + InspectorJob.name(recovery);
    var _ =
        api.find(
            () -> {
              world.inspectors().delete(key, "", null);
              return key;
            });
  }
}
