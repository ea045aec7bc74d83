package dev.rekindle.simulator.chaos;

import dev.rekindle.detect.node.ConditionReading;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.FaultObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/**
 * Invariant 39: a fault that a condition of a node shows is not cleared while that condition is not
 * False. Bound: a minute since the condition has changed. Why: whoever cannot say has not said that
 * it is over, and the fence would be lifted for it.
 */
final class ShownFaults extends Check {
  private static final String CONDITION = "condition";
  private static final Duration HEARD = UNDER_WAY;

  ShownFaults(World world, Invariants all) {
    super(world, all, Invariant.SHOWN_FAULTS);
    world.faults().watch(this::changed);
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
      Instant since = Objects.requireNonNullElse(condition.since(), now());
      if (!condition.status().equals("False")
          && before.view().evidence().startsWith("condition " + condition.type() + " is")
          && since.plus(HEARD).isBefore(now())) {
        broken("%s is cleared; since %s %s is %s".formatted(change.key(), since, condition.type(), condition.status()));
      }
    }
  }
}
