package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.NamedStalls;
import dev.rekindle.controller.model.NodeIncidentHistory;
import dev.rekindle.simulator.process.Answers;
import dev.rekindle.simulator.process.Answers.Call;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * Invariant 74: in the calm a node that had repeated incidents, or for which jobs in different
 * places have waited, is marked as a lemon. Bound: 90 s with a leader, and nothing is asked after a
 * clock was wrong or where the API server refuses the mark permanently. Why: only the mark keeps
 * new pods off such a node while others suffice.
 */
final class MarkedLemons extends Check {
  private static final Duration BOUND = Duration.ofSeconds(90);

  private final Answers answers;
  private final BooleanSupplier led;
  private final Overdue overdue = new Overdue(this);

  MarkedLemons(World world, Invariants all, Answers answers, BooleanSupplier led) {
    super(world, all, Invariant.MARKED_LEMONS);
    this.answers = answers;
    this.led = led;
  }

  @Override
  boolean isWaiting() {
    return !overdue.isEmpty();
  }

  @Override
  void look() {
    if (clocksWereWrong() || !led.getAsBoolean() || answers.refusedForGood(Call.MARK_LEMON)) {
      overdue.endAll();
      return;
    }
    overdue.endIf(name -> world.nodes().find(name).isEmpty());
    for (NodeObject node : world.nodes().all()) {
      String name = node.meta().name();
      if (node.lemon() || !isLemon(node)) {
        overdue.end(name);
      } else if (overdue.lasts(name, BOUND)) {
        broken(
            "node %s is not marked as a lemon since %s; incidents: %s; stalls: %s"
                .formatted(name, overdue.since(name), node.incidents(), node.stalls()));
      }
    }
  }

  private boolean isLemon(NodeObject node) {
    return NodeIncidentHistory.lemon(node.incidents(), now())
        || NamedStalls.parse(node.stalls()).lemon(now());
  }
}
