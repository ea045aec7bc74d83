package dev.rekindle.simulator.chaos;

import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.world.FaultObject;
import dev.rekindle.simulator.world.NodeObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * What becomes of machines beside what breaks: Nodes are deleted and come again under their names,
 * clocks of controllers step.
 */
final class NodeChanges extends DisturbanceSource {
  private static final Duration HOUR = Duration.ofHours(1);

  NodeChanges(Simulation simulation, RandomGenerator random, Tenants.Listener listener) {
    super(simulation, random, listener);
  }

  /** Plans it all for the time between those two. */
  void plan(Instant from, Instant to) {
    calm = to;
    RandomTimes.plan(simulation, random, from, to, 3, this::turnover);
    RandomTimes.plan(simulation, random, from, to, 2, this::stepClock);
  }

  private void turnover() {
    List<NodeObject> nodes = world.nodes().list();
    if (nodes.size() < 3) {
      return;
    }
    String node = faulty(nodes);
    boolean exchanged = random.nextInt(3) > 0;
    listener.did(
        exchanged ? Disturbance.NODE_EXCHANGED : Disturbance.NODE_REGISTERED,
        node,
        exchanged ? "its machine is exchanged" : "its Node is deleted, and registered anew");
    world.turnover().leaves(node, exchanged);
    Instant back = simulation.now().plusMillis(500 + random.nextInt(exchanged ? 70_000 : 20_000));
    simulation.at(back.isBefore(calm) ? back : calm, () -> world.turnover().joins(node));
  }

  /** One with a fault, rather than another one. */
  private String faulty(List<NodeObject> nodes) {
    List<FaultObject> faults = world.faults().list();
    if (!faults.isEmpty() && random.nextInt(4) > 0) {
      String node = faults.get(random.nextInt(faults.size())).view().node();
      if (world.nodes().find(node).isPresent()) {
        return node;
      }
    }
    return nodes.get(random.nextInt(nodes.size())).meta().name();
  }

  /** By up to some seconds, or by up to an hour; it is set again before the calm. */
  private void stepClock() {
    long most = random.nextBoolean() ? 20_000 : HOUR.toMillis();
    Duration by = Duration.ofMillis(random.nextLong(-most, most));
    listener.did(Disturbance.CLOCK_STEPPED, "controller", "the clock of the leader steps by " + by);
    simulation.fleet().stepClock(by);
    Instant set = simulation.now().plusMillis(random.nextInt(60_000));
    simulation.at(set.isBefore(calm) ? set : calm, simulation.fleet()::setClocks);
  }

  /** Every Node is there, and every clock is right. */
  void calm() {
    world.turnover().calm();
    simulation.fleet().setClocks();
  }
}
