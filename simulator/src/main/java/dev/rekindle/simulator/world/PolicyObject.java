package dev.rekindle.simulator.world;

import dev.rekindle.controller.cluster.Policy;
import dev.rekindle.simulator.api.ApiObject;
import dev.rekindle.simulator.api.Meta;

/**
 * A RecoveryPolicy.
 *
 * @param meta metadata
 * @param policy what it says
 */
public record PolicyObject(Meta meta, Policy policy) implements ApiObject<PolicyObject> {
  @Override
  public PolicyObject with(Meta newMeta) {
    return new PolicyObject(newMeta, policy);
  }
}
