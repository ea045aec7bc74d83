package dev.rekindle.simulator.process;

import dev.rekindle.controller.kubernetes.convert.InspectorJob;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.world.InspectorObject;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.World;
import java.util.Optional;

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
          if (world.inspectors().find(draft.key()).isEmpty()) {
            world.namespaces().admit(key.namespace());
            world.inspectors().create(new InspectorObject(draft, key, null));
          }
          return Optional.empty();
        });
  }

  Inspection inspect(JobKey job, String recovery) {
    return api.call(
        () ->
            world.inspectorPods().inspection(job.namespace() + "/" + InspectorJob.name(recovery)));
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
