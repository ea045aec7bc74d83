package dev.rekindle.simulator.chaos;

import dev.rekindle.detect.node.ConditionReading;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.FaultObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.World;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * Invariant 38: a fault that a condition of a node shows is not cleared while that condition is not
 * False. Bound: a minute since it was. Why: an author that cannot say has not said that it is over,
 * and the fence would be lifted for it.
 */
final class ShownFaults extends Check {
  private static final String CONDITION = "condition";
  private static final String OVER = "False";

  /** When a condition of a node was last False. */
  private final Map<String, Instant> over = new HashMap<>();

  ShownFaults(World world, Invariants all) {
    super(world, all, Invariant.SHOWN_FAULTS);
    world.faults().watch(this::changed);
    world.nodes().watch(this::nodeChanged);
  }

  private void nodeChanged(Change<NodeObject> change) {
    NodeObject before = change.before();
    if (before != null) {
      for (ConditionReading condition : before.conditions()) {
        if (condition.status().equals(OVER)) {
          over.put(change.key() + " " + condition.type(), now());
        }
      }
    }
  }

  private void changed(Change<FaultObject> change) {
    FaultObject before = change.before();
    FaultObject after = change.after();
    if (before == null
        || after == null
        || !before.view().active()
        || after.view().active()
        || !after.view().detector().equals(CONDITION)) {
      return;
    }
    NodeObject node = world.nodes().find(after.view().node()).orElse(null);
    if (node == null || !after.view().isOf(node.view())) {
      return;
    }
    for (ConditionReading condition : node.conditions()) {
      Instant last = over.get(node.meta().name() + " " + condition.type());
      if (!condition.status().equals(OVER)
          && before.view().evidence().startsWith("condition " + condition.type() + " is")
          && (last == null || longAgo(last))) {
        broken(
            "%s is cleared; condition %s of its node is %s"
                .formatted(change.key(), condition.type(), condition.status()));
      }
    }
  }
}
