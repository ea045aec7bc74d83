package dev.rekindle.simulator.world;

import dev.rekindle.controller.model.RankView;
import dev.rekindle.simulator.api.ApiObject;
import dev.rekindle.simulator.api.Meta;

/**
 * A RankReport.
 *
 * @param meta metadata; owned by its pod
 * @param view what the controller keeps of it
 */
public record RankObject(Meta meta, RankView view) implements ApiObject<RankObject> {
  @Override
  public RankObject with(Meta newMeta) {
    return new RankObject(newMeta, view);
  }
}
