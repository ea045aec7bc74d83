package dev.rekindle.simulator.world;

import dev.rekindle.detect.node.DeviceTaint;
import dev.rekindle.simulator.api.ApiObject;
import dev.rekindle.simulator.api.Meta;

/**
 * A DeviceTaintRule for devices of one node.
 *
 * @param meta metadata
 * @param view what the controller keeps of it
 */
public record TaintRuleObject(Meta meta, DeviceTaint view) implements ApiObject<TaintRuleObject> {
  @Override
  public TaintRuleObject with(Meta newMeta) {
    return new TaintRuleObject(newMeta, view);
  }
}
