package dev.rekindle.simulator.chaos;

import dev.rekindle.detect.node.ConditionReading;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.process.Answers;
import dev.rekindle.simulator.process.Answers.Call;
import dev.rekindle.simulator.world.FaultObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * Invariant 38: a fault that a condition of a node shows is not cleared while that condition is not
 * False; and in the calm it is cleared once it is. Bound: a minute since it was, and two minutes of
 * calm. Why: an Unknown condition is no proof that the fault is over, and the fence would be lifted
 * for it. A False condition is the proof, and no other one follows.
 */
final class ShownFaults extends Check {
  private static final String CONDITION = "condition";
  private static final String OVER = "False";
  private static final Duration LEFT = Duration.ofMinutes(2);

  /** When a condition of a node was last False. */
  private final Map<String, Instant> over = new HashMap<>();

  /** By name of a fault that stands, since when its condition was seen to be False. */
  private final Overdue overdue = new Overdue(this);

  private final Answers answers;

  ShownFaults(World world, Invariants all, Answers answers) {
    super(world, all, Invariant.SHOWN_FAULTS);
    this.answers = answers;
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

  @Override
  void look() {
    for (FaultObject fault : world.faults().all()) {
      String name = fault.meta().name();
      if (!isLeft(fault)) {
        overdue.end(name);
      } else if (overdue.lasts(name, LEFT)) {
        broken(
            "%s stands, and its condition is False since %s: %s"
                .formatted(name, overdue.since(name), fault.view().evidence()));
      }
    }
  }

  @Override
  boolean isWaiting() {
    return !overdue.isEmpty();
  }

  private boolean isLeft(FaultObject fault) {
    NodeObject node = world.nodes().find(fault.view().node()).orElse(null);
    if (node == null
        || !fault.view().active()
        || !fault.view().detector().equals(CONDITION)
        || !fault.view().isOf(node.view())
        || answers.refusedForGood(Call.CLEAR)) {
      return false;
    }
    for (ConditionReading condition : node.conditions()) {
      if (condition.status().equals(OVER)
          && fault.view().evidence().startsWith("condition " + condition.type() + " is")) {
        return true;
      }
    }
    return false;
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
