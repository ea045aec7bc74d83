package dev.rekindle.simulator.world;

import dev.rekindle.controller.model.NodeIncidentHistory;
import dev.rekindle.detect.node.ConditionReading;
import java.time.Duration;
import java.util.List;

/** What node monitors write on nodes: conditions, and the history of incidents. */
public final class NodeConditions {
  private final World world;

  NodeConditions(World world) {
    this.world = world;
  }

  /** Sets a condition of the node, if there is such a node. */
  public void set(String node, String type, String status, String reason) {
    if (world.nodes().find(node).isPresent()) {
      ConditionReading condition =
          new ConditionReading(type, status, reason, reason + " on " + node, world.now());
      world.nodes().patch(node, n -> n.with(condition));
    }
  }

  /** Turns all conditions of the node to False. */
  public void clear(String node) {
    for (ConditionReading condition :
        world.nodes().find(node).map(NodeObject::conditions).orElse(List.of())) {
      if (!condition.status().equals("False")) {
        set(node, condition.type(), "False", "Over");
      }
    }
  }

  /** The node had two incidents in the weeks before the simulation. */
  public void incidentsLongAgo(String node) {
    String text =
        new NodeIncidentHistory(List.of())
            .and(world.now().minus(Duration.ofDays(20)), "fault/first")
            .and(world.now().minus(Duration.ofDays(10)), "fault/second")
            .format();
    world.nodes().patch(node, n -> n.withIncidents(text));
  }
}
