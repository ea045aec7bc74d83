package dev.rekindle.simulator.world;

import dev.rekindle.controller.cluster.FaultView;
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
}
