package dev.rekindle.simulator.world;

import dev.rekindle.simulator.api.ApiObject;
import dev.rekindle.simulator.api.Meta;
import java.time.Instant;

/**
 * A Lease.
 *
 * @param meta metadata
 * @param holder who holds it, empty when it is free
 * @param renewed when it was last renewed
 */
public record LeaseObject(Meta meta, String holder, Instant renewed)
    implements ApiObject<LeaseObject> {
  @Override
  public LeaseObject with(Meta newMeta) {
    return new LeaseObject(newMeta, holder, renewed);
  }
}
