package dev.rekindle.simulator.world;

import dev.rekindle.detect.node.DeviceSlice;
import dev.rekindle.simulator.api.ApiObject;
import dev.rekindle.simulator.api.Meta;

/**
 * The ResourceSlice of one node.
 *
 * @param meta metadata
 * @param view what the controller keeps of it
 */
public record SliceObject(Meta meta, DeviceSlice view) implements ApiObject<SliceObject> {
  @Override
  public SliceObject with(Meta newMeta) {
    return new SliceObject(newMeta, view);
  }

  SliceObject with(DeviceSlice next) {
    return new SliceObject(meta, next);
  }
}
