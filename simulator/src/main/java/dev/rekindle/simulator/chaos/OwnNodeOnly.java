package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 33: what an agent says of pods of other nodes counts for nothing. Why: the token of one
 * node must not be worth more than that node. That its faults fence no other is of {@link Fences}.
 */
final class OwnNodeOnly extends Check {
  private static final String STEPS = Long.toString(StolenAgent.STEP / 1_000);

  OwnNodeOnly(World world, Invariants all) {
    super(world, all, Invariant.OWN_NODE_ONLY);
  }

  /** A lie of steps, or one that a script requests a restart, stands in no Recovery. */
  @Override
  public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
    if (after == null) {
      return;
    }
    String all = textOf(after);
    if (all.contains(StolenAgent.LIE) || all.contains(STEPS)) {
      broken(
          "recovery %s repeats what a stolen agent said of another node's pod"
              .formatted(before.meta().name()));
    }
  }

  @Override
  public void announced(ClusterEvent said) {
    if (said.note().contains(StolenAgent.LIE) || said.note().contains(STEPS)) {
      broken("an Event repeats what a stolen agent made up: " + said.note());
    }
  }
}
