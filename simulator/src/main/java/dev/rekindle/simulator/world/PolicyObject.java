package dev.rekindle.simulator.world;

import dev.rekindle.api.Scorecard;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.simulator.api.ApiObject;
import dev.rekindle.simulator.api.Meta;

/**
 * A RecoveryPolicy.
 *
 * @param meta metadata
 * @param policy what it says
 * @param card what it would have done
 */
public record PolicyObject(Meta meta, Policy policy, Scorecard card)
    implements ApiObject<PolicyObject> {
  @Override
  public PolicyObject with(Meta newMeta) {
    return new PolicyObject(newMeta, policy, card);
  }
}
