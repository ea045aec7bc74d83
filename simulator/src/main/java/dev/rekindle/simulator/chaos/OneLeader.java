package dev.rekindle.simulator.chaos;

import dev.rekindle.simulator.world.LeaseObject;
import dev.rekindle.simulator.world.World;

/**
 * Invariant 70: a process of the controller sends nothing while another one holds the lease. No
 * bound: it counts for how long the lease is its own from when it asked for it, and by a clock that
 * never steps. Why: what a process sends that has stood still it has decided by what was before,
 * and its successor works on the same jobs.
 */
final class OneLeader extends Check {
  OneLeader(World world, Invariants all) {
    super(world, all, Invariant.ONE_LEADER);
  }

  @Override
  public void sends(String process) {
    for (LeaseObject lease : world.leases().all()) {
      if (!lease.holder().equals(process)) {
        broken("%s sends something, and %s holds the lease".formatted(process, lease.holder()));
      }
    }
  }
}
