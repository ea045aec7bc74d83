package dev.rekindle.simulator.world;

import dev.rekindle.controller.model.FaultView;
import dev.rekindle.simulator.api.ApiObject;
import dev.rekindle.simulator.api.Meta;

/**
 * A NodeFault.
 *
 * @param meta metadata
 * @param view what the controller keeps of it
 */
public record FaultObject(Meta meta, FaultView view) implements ApiObject<FaultObject> {
  @Override
  public FaultObject with(Meta newMeta) {
    return new FaultObject(newMeta, view);
  }

  /** The same, proven gone by that. */
  public FaultObject cleared(String by) {
    return new FaultObject(meta, view.with(b -> b.active(false).clearedBy(by)));
  }
}
