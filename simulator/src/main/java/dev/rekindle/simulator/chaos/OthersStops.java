package dev.rekindle.simulator.chaos;

import dev.rekindle.simulator.world.QueueObject;
import dev.rekindle.simulator.world.WorkloadObject;
import dev.rekindle.simulator.world.World;

/**
 * Invariant 60: a Workload that a person has deactivated is not activated by us, and a ClusterQueue
 * that an administrator has stopped is not opened. Bound: none, as each write names the version
 * that it was made from. Why: a job that a person has stopped on purpose would run.
 */
final class OthersStops extends Check {
  OthersStops(World world, Invariants all) {
    super(world, all, Invariant.OTHERS_STOPS);
  }

  @Override
  public void activated(WorkloadObject before) {
    if (!before.active() && before.stoppedBy().isEmpty()) {
      broken("Workload of job %s is activated; a person had stopped it".formatted(before.job()));
    }
  }

  @Override
  public void openedQueue(QueueObject before) {
    if (before.heldFor().isEmpty()) {
      broken(
          "ClusterQueue %s is opened; an administrator had stopped it"
              .formatted(before.meta().name()));
    }
  }
}
