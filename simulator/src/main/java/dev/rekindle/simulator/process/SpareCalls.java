package dev.rekindle.simulator.process;

import dev.rekindle.controller.kubernetes.convert.SparePod;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.SpareOrder;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.simulator.api.ApiError;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.SpareObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;

/** Calls about warm spares. */
final class SpareCalls {
  private final World world;
  private final ApiCalls api;
  private final JobCalls jobs;

  SpareCalls(World world, ApiCalls api, JobCalls jobs) {
    this.world = world;
    this.api = api;
    this.jobs = jobs;
  }

  void add(JobKey key, String uid, SpareOrder order) {
    JobObject job = jobs.get(key, uid);
    if (!job.view().spares().template().equals(order.template())) {
      throw new StaleException("job " + key + " has another template");
    }
    Meta draft = Meta.draft(key.namespace(), SparePod.name(key, order.slot()), uid);
    var _ =
        api.call(
            () -> {
              SpareObject there = world.spares().find(draft.key()).orElse(null);
              if (there != null && there.meta().owner().equals(uid)) {
                return there;
              }
              world.namespaces().admit(key.namespace());
              return world
                  .spares()
                  .create(
                      new SpareObject(
                          draft,
                          key,
                          order.slot(),
                          order.template(),
                          job.setup().gpusPerRank(),
                          order.hostnames(),
                          "",
                          false));
            });
  }

  void remove(JobKey key, String pod, String uid) {
    try {
      var _ =
          api.attempt(
              () -> {
                world.spares().delete(key.namespace() + "/" + pod, uid, Duration.ofSeconds(1));
                return pod;
              });
    } catch (ApiError error) {
      // Gone, or another pod has the name.
      if (error.code() != ApiError.NOT_FOUND && error.code() != ApiError.CONFLICT) {
        throw ApiCalls.translated(error);
      }
    }
  }
}
