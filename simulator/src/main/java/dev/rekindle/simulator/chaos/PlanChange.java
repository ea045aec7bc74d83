package dev.rekindle.simulator.chaos;

import dev.rekindle.api.PlacementPlan;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.simulator.world.RecoveryObject;
import org.jspecify.annotations.Nullable;

/** When a write of a Recovery brings a new plan of nodes. */
final class PlanChange {
  private PlanChange() {}

  /** The plan that the write brings; null where it brings none, or the one that was stored. */
  static @Nullable PlacementPlan of(RecoveryObject before, @Nullable RecoveryStatus after) {
    PlacementPlan plan = placement(after);
    return plan == null || plan.equals(placement(before.status())) ? null : plan;
  }

  private static @Nullable PlacementPlan placement(@Nullable RecoveryStatus status) {
    return status == null || status.plan() == null ? null : status.plan().placement();
  }
}
