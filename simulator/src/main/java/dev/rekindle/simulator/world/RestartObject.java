package dev.rekindle.simulator.world;

import dev.rekindle.api.RestartReportSpec;
import dev.rekindle.controller.model.RestartView;
import dev.rekindle.simulator.api.ApiObject;
import dev.rekindle.simulator.api.Meta;

/**
 * A RestartReport.
 *
 * @param meta metadata; owned by its order
 * @param spec what an agent has done
 */
public record RestartObject(Meta meta, RestartReportSpec spec) implements ApiObject<RestartObject> {
  @Override
  public RestartObject with(Meta newMeta) {
    return new RestartObject(newMeta, spec);
  }

  /** What the controller keeps of it. */
  public RestartView view() {
    return new RestartView(meta.namespace(), meta.name(), spec);
  }
}
