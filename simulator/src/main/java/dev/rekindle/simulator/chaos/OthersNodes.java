package dev.rekindle.simulator.chaos;

import dev.rekindle.api.PlacementPlan;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 69: a node on which another component works is not fenced by us, no pod is planned onto
 * it, and a gang that is started anew is kept off it where no taint does that. Bound: they have
 * worked on it for {@link #UNDER_WAY}. Why: two components that repair one node undo what the other
 * does, and a gang that comes there is moved again soon.
 */
final class OthersNodes extends Check {
  private final Map<String, Instant> since = new HashMap<>();

  OthersNodes(World world, Invariants all) {
    super(world, all, Invariant.OTHERS_NODES);
    world.nodes().watch(this::changed);
  }

  private void changed(Change<NodeObject> change) {
    NodeObject before = change.before();
    NodeObject after = change.after();
    if (after == null || after.owner() == null) {
      since.remove(change.key());
    } else if (before == null || before.owner() == null) {
      since.put(change.key(), now());
    }
  }

  private boolean isOthers(String node) {
    return longAgo(since.get(node));
  }

  @Override
  public void cordoned(NodeObject before, String by) {
    String node = before.meta().name();
    if (isOthers(node)) {
      broken(
          "%s fences node %s, on which %s is at work since %s"
              .formatted(by, node, before.owner(), since.get(node)));
    }
  }

  @Override
  public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
    PlacementPlan plan = PlanChange.of(before, after);
    if (plan != null) {
      plan.nodes().stream()
          .filter(this::isOthers)
          .forEach(
              node ->
                  broken(
                      "recovery %s plans pods onto node %s, on which others are at work since %s"
                          .formatted(before.meta().key(), node, since.get(node))));
    }
  }

  @Override
  public void wrote(JobObject before, JobObject after, String verb, String recovery) {
    if (!verb.equals("resume") || !before.queue().isEmpty()) {
      return;
    }
    for (NodeObject node : world.nodes().all()) {
      String name = node.meta().name();
      if (isOthers(name)
          && node.owner() != null
          && !node.owner().tainted()
          && !node.unschedulable()
          && !after.template().excluded().contains(name)) {
        broken(
            "recovery %s starts job %s anew, and keeps it off no node %s, on which %s is at work since %s"
                .formatted(recovery, before.key(), name, node.owner(), since.get(name)));
      }
    }
  }
}
