package dev.rekindle.simulator.chaos;

import dev.rekindle.api.PlacementPlan;
import dev.rekindle.api.PlacementPlan.Replacement;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 62: a node has a device and an address of each rail for the pods that a plan puts on
 * it, where Spiderpool assigns addresses. Bound: none of these has changed for half a minute. Why:
 * the gang stays frozen for a pod whose sandbox is never created.
 */
final class PlannedAddresses extends Check {
  private static final Duration HEARD = Duration.ofSeconds(30);

  private final Places places;

  PlannedAddresses(World world, Invariants all, Places places) {
    super(world, all, Invariant.ADDRESSES);
    this.places = places;
  }

  @Override
  public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
    PlacementPlan plan = PlanChange.of(before, after);
    JobObject job = jobOf(before).orElse(null);
    if (plan == null || job == null) {
      return;
    }
    Set<String> leaving = new HashSet<>();
    for (Replacement move : plan.replacements()) {
      for (PodObject pod : world.podsOf(job)) {
        if (pod.meta().name().equals(move.pod())) {
          leaving.add(pod.meta().uid());
        }
      }
    }
    for (String name : plan.nodes()) {
      NodeObject node = world.nodes().find(name).orElse(null);
      if (node != null && places.isSteadyFor(node, HEARD) && !places.hasNetworks(node, leaving)) {
        broken(
            "pods of job %s are to go to %s, which lacks a device or an address of a rail: %s"
                .formatted(job.key(), name, plan));
      }
    }
  }
}
