package dev.rekindle.simulator.chaos;

import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.world.NodeObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * In clusters with large leaf groups a part of a leaf switch fails, and with it the ports of three
 * nodes or more, within some seconds. Also in the calm; a person repairs the nodes then.
 */
final class SwitchTroubles extends DisturbanceSource {
  private static final int LEAST = 3;
  private static final int APART_MILLIS = 3_000;
  private static final int LATE_MILLIS = 60_000;
  private static final Duration REPAIRED = Duration.ofSeconds(200);

  private int underWay;

  SwitchTroubles(Simulation simulation, RandomGenerator random, Tenants.Listener listener) {
    super(simulation, random, listener);
  }

  /** Plans it all for the time between those two. */
  void plan(Instant from, Instant to) {
    calm = to;
    if (groups().isEmpty()) {
      return;
    }
    RandomTimes.plan(simulation, random, from, to, 3, () -> fails(false));
    if (random.nextBoolean()) {
      underWay++;
      simulation.at(
          to.plusMillis(1 + random.nextInt(LATE_MILLIS)),
          () -> {
            underWay--;
            fails(true);
          });
    }
  }

  /** Whether a person will still act. */
  boolean unfinished() {
    return underWay > 0;
  }

  /** Names of the nodes of each leaf group that is large enough. */
  private List<List<String>> groups() {
    Map<String, List<String>> groups = new TreeMap<>();
    for (NodeObject node : world.nodes().list()) {
      groups.computeIfAbsent(node.setup().leaf(), _ -> new ArrayList<>()).add(node.meta().name());
    }
    return groups.values().stream().filter(nodes -> nodes.size() > LEAST).toList();
  }

  private void fails(boolean late) {
    List<List<String>> groups = groups();
    if (groups.isEmpty()) {
      return;
    }
    List<String> nodes = new ArrayList<>(groups.get(random.nextInt(groups.size())));
    int hit = LEAST + random.nextInt(nodes.size() - LEAST);
    while (nodes.size() > hit) {
      nodes.remove(random.nextInt(nodes.size()));
    }
    listener.did(
        Disturbance.SWITCH_FAILED, String.join(", ", nodes), "a part of their leaf switch fails");
    for (String node : nodes) {
      at(random.nextInt(APART_MILLIS), node, simulation.levers()::nicDown);
      if (late) {
        at((int) REPAIRED.toMillis(), node, simulation.levers()::repaired);
      }
    }
  }

  private void at(int millis, String node, Consumer<String> then) {
    underWay++;
    simulation.at(
        simulation.now().plusMillis(millis),
        () -> {
          underWay--;
          if (world.nodes().find(node).isPresent()) {
            then.accept(node);
          }
        });
  }
}
