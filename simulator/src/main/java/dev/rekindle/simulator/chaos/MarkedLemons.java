package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.NamedStalls;
import dev.rekindle.controller.model.NodeIncidentHistory;
import dev.rekindle.simulator.process.Answers;
import dev.rekindle.simulator.process.Answers.Call;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
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
  private final Map<String, Instant> since = new HashMap<>();

  MarkedLemons(World world, Invariants all, Answers answers, BooleanSupplier led) {
    super(world, all, Invariant.MARKED_LEMONS);
    this.answers = answers;
    this.led = led;
  }

  @Override
  boolean isWaiting() {
    return !since.isEmpty();
  }

  @Override
  void look() {
    if (clocksWereWrong() || !led.getAsBoolean() || answers.refusedForGood(Call.MARK_LEMON)) {
      since.clear();
      return;
    }
    since.keySet().removeIf(name -> world.nodes().find(name).isEmpty());
    for (NodeObject node : world.nodes().all()) {
      String name = node.meta().name();
      if (node.lemon() || !isLemon(node)) {
        since.remove(name);
      } else if (since.computeIfAbsent(name, _ -> now()).plus(BOUND).isBefore(now())) {
        broken(
            "node %s is not marked as a lemon since %s; incidents: %s; stalls: %s"
                .formatted(name, since.get(name), node.incidents(), node.stalls()));
      }
    }
  }

  private boolean isLemon(NodeObject node) {
    return NodeIncidentHistory.lemon(node.incidents(), now())
        || NamedStalls.parse(node.stalls()).lemon(now());
  }
}
