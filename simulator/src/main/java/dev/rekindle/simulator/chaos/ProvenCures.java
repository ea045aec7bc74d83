package dev.rekindle.simulator.chaos;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.cluster.FaultView;
import dev.rekindle.controller.cluster.NodeView.Readiness;
import dev.rekindle.controller.cluster.Policy;
import dev.rekindle.simulator.world.FaultObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.World;

/**
 * A fence is not lifted before what is to prove the fault gone has come to its end: a reboot counts
 * once the node has been Ready again, and a burst of records is weighed once it is over.
 */
final class ProvenCures extends Check {
  private final Policy policy;

  ProvenCures(World world, Invariants all, Policy policy) {
    super(world, all, Invariant.PROVEN_GONE);
    this.policy = policy;
  }

  @Override
  public void released(NodeObject before) {
    for (FaultObject fault : world.faults().all()) {
      FaultView f = fault.view();
      if (!f.node().equals(before.meta().name()) || !f.active() || !f.isOf(before.view())) {
        continue;
      }
      boolean rebooted = !f.bootId().isEmpty() && !f.bootId().equals(before.bootId());
      if (rebooted
          && f.fence() == FenceGuidance.ALWAYS
          && before.readiness() != Readiness.READY
          && longAgo(before.since())) {
        broken(
            "node %s is released from %s by a reboot; it is not Ready since %s"
                .formatted(f.node(), f.code(), before.since()));
      }
      if (!rebooted
          && f.fence() == FenceGuidance.THRESHOLD
          && !longAgo(f.lastSeen())
          && f.lastSeen().plus(policy.burst()).isAfter(now().plus(UNDER_WAY))) {
        broken(
            "node %s is released; a burst of %s goes on, of which the last record is of %s"
                .formatted(f.node(), f.code(), f.lastSeen()));
      }
    }
  }
}
