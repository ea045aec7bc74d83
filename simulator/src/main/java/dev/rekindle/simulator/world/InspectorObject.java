package dev.rekindle.simulator.world;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.simulator.api.ApiObject;
import dev.rekindle.simulator.api.Meta;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A checkpoint inspector: a Kubernetes Job and its pod, as one.
 *
 * @param meta metadata; owned by the training job
 * @param job the training job
 * @param scanning since when it scans; absent before
 */
public record InspectorObject(Meta meta, JobKey job, @Nullable Instant scanning)
    implements ApiObject<InspectorObject> {
  @Override
  public InspectorObject with(Meta newMeta) {
    return new InspectorObject(newMeta, job, scanning);
  }

  InspectorObject since(Instant now) {
    return new InspectorObject(meta, job, now);
  }
}
