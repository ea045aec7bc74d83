package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RestartInstruction;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.World;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 68: a recovery restarts its gang in place at most once, in its first attempt. No bound:
 * an order has the attempt in its name. Why: what a gang does not survive with its pods it may
 * survive with new ones, and each freeze that leads to nothing costs minutes.
 */
final class OnceInPlace extends Check {
  private static final String FIRST = "-1";

  OnceInPlace(World world, Invariants all) {
    super(world, all, Invariant.ONCE_IN_PLACE);
  }

  @Override
  public void ordered(@Nullable OrderObject before, OrderObject after) {
    if (after.spec().instruction() != RestartInstruction.LOOK
        && !after.meta().name().equals(after.spec().recovery() + FIRST)) {
      broken(
          "order %s is to restart a gang in place, which recovery %s has tried before"
              .formatted(after.meta().name(), after.spec().recovery()));
    }
  }
}
