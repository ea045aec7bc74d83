package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.FenceQuota;
import dev.rekindle.controller.model.FencedFor;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.World;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Invariant 41: no more nodes are fenced within a day for the programs of one namespace than its
 * quota allows. No bound, except for a fence that a person has approved. Why: a user who makes
 * programs crash on purpose must not use up the breaker for all other jobs.
 */
final class FenceQuotas extends Check {
  private final Policy policy;

  FenceQuotas(World world, Invariants all, Policy policy) {
    super(world, all, Invariant.FENCE_QUOTA);
    this.policy = policy;
    world.nodes().watch(this::changed);
  }

  private void changed(Change<NodeObject> change) {
    NodeObject before = change.before();
    NodeObject after = change.after();
    if (before == null
        || after == null
        || before.fencedFor().equals(after.fencedFor())
        || !before.approved().isEmpty()) {
      return;
    }
    List<NodeView> nodes = world.nodes().list().stream().map(NodeObject::view).toList();
    Map<String, Set<String>> fenced = FenceQuota.fenced(nodes, now());
    for (String namespace : FencedFor.parse(after.fencedFor()).within(now())) {
      int count = fenced.getOrDefault(namespace, Set.of()).size();
      if (count > policy.maxFencedPerNamespace()) {
        broken(
            "node %s is fenced for programs of namespace %s, as the %dth of %d"
                .formatted(change.key(), namespace, count, policy.maxFencedPerNamespace()));
      }
    }
  }
}
