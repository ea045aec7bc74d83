package dev.rekindle.simulator.world;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.WorkloadView;
import dev.rekindle.simulator.api.ApiObject;
import dev.rekindle.simulator.api.Meta;
import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * A Workload of Kueue.
 *
 * @param meta metadata; owned by its job
 * @param job the job
 * @param pods how many pods it needs quota for
 * @param active {@code spec.active}
 * @param stoppedBy Rekindle annotation, empty when absent
 * @param quotaReserved condition QuotaReserved
 * @param admitted condition Admitted
 * @param finished condition Finished
 */
@RecordBuilder
public record WorkloadObject(
    Meta meta,
    JobKey job,
    int pods,
    boolean active,
    String stoppedBy,
    boolean quotaReserved,
    boolean admitted,
    boolean finished)
    implements ApiObject<WorkloadObject>, WorkloadObjectBuilder.With {
  static WorkloadObject draft(JobObject job) {
    return new WorkloadObject(
        Meta.draft(job.key().namespace(), job.key().name(), job.meta().uid()),
        job.key(),
        job.setup().ranks(),
        true,
        "",
        false,
        false,
        false);
  }

  @Override
  public WorkloadObject with(Meta newMeta) {
    return withMeta(newMeta);
  }

  /** The same, to be admitted or not, and by whom. */
  public WorkloadObject withActive(boolean value, String by) {
    return with(b -> b.active(value).stoppedBy(by));
  }

  /** What the controller keeps of it. */
  public WorkloadView view() {
    return new WorkloadView(
        meta.namespace(),
        meta.name(),
        job,
        meta.owner(),
        active,
        stoppedBy,
        quotaReserved ? QueueObject.NAME : "",
        quotaReserved,
        admitted,
        finished,
        false,
        admitted ? "" : "insufficient unused quota");
  }
}
