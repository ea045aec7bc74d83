package dev.rekindle.simulator.chaos;

import dev.rekindle.api.PlacementPlan;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.simulator.world.RecoveryObject;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** When a write of a Recovery brings a new plan of nodes. */
final class PlanChange {
  private PlanChange() {}

  /**
   * The plan that the write brings, without the pods of the stored one that it keeps: they have
   * moved by then (seed 3227). Null where it brings none, or the one that was stored.
   */
  static @Nullable PlacementPlan of(RecoveryObject before, @Nullable RecoveryStatus after) {
    PlacementPlan plan = placement(after);
    PlacementPlan stored = placement(before.status());
    if (plan == null || stored == null) {
      return plan;
    }
    return plan.equals(stored)
        ? null
        : plan.withReplacements(
            plan.replacements().stream().filter(r -> !stored.replacements().contains(r)).toList());
  }

  /** All nodes that the plan of a status takes, also for pods that have moved by then. */
  static Set<String> nodes(@Nullable RecoveryStatus status) {
    PlacementPlan plan = placement(status);
    return plan == null ? Set.of() : Set.copyOf(plan.nodes());
  }

  private static @Nullable PlacementPlan placement(@Nullable RecoveryStatus status) {
    return status == null || status.plan() == null ? null : status.plan().placement();
  }
}
