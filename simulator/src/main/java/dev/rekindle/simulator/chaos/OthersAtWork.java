package dev.rekindle.simulator.chaos;

import dev.rekindle.detect.node.NodeOwner;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.world.NodeObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Another remediator, an autoscaler or a maintenance works on nodes: it marks them by a label, some
 * of them by a taint as well, and gives each node back after some minutes, also when everything
 * else is calm by then. On half of these nodes a GPU falls off the bus meanwhile.
 */
final class OthersAtWork extends DisturbanceSource {
  private static final int SEEDS = 8;
  private static final int MOST = 3;
  private static final Duration LEAST = Duration.ofSeconds(30);
  private static final int MORE_MILLIS = 170_000;

  private static final List<NodeOwner> OTHERS =
      List.of(
          new NodeOwner("NVSentinel", "label dgxc.nvidia.com/nvsentinel-state", false),
          new NodeOwner("NVIDIA GPU Operator", "label nvidia.com/gpu-driver-upgrade-state", false),
          new NodeOwner("Karpenter", "taint karpenter.sh/disrupted", true));

  private int underWay;

  OthersAtWork(Simulation simulation, RandomGenerator random, Tenants.Listener listener) {
    super(simulation, random, listener);
  }

  /** Plans it all for the time between those two. */
  void plan(Instant from, Instant to) {
    calm = to;
    if (random.nextInt(SEEDS) == 0) {
      // Some from the first day on.
      Instant begin = random.nextBoolean() ? from.minusSeconds(10) : to;
      RandomTimes.plan(
          simulation, random, from.minusSeconds(10), begin.plusMillis(1), MOST, this::take);
    }
  }

  /** Whether one of them is yet to give a node back. */
  boolean unfinished() {
    return underWay > 0;
  }

  private void take() {
    List<NodeObject> nodes = world.nodes().list();
    NodeObject node = nodes.get(random.nextInt(nodes.size()));
    NodeOwner owner = OTHERS.get(random.nextInt(OTHERS.size()));
    Duration time = LEAST.plusMillis(random.nextInt(MORE_MILLIS));
    boolean breaks = random.nextBoolean();
    Duration then = LEAST.plusMillis(random.nextInt(60_000));
    String name = node.meta().name();
    if (node.owner() != null) {
      return;
    }
    underWay++;
    listener.did(Disturbance.OTHERS_AT_WORK, name, owner + " is at work on it");
    world.nodes().patch(name, n -> n.withOwner(owner));
    simulation.at(simulation.now().plus(time), () -> giveBack(name, owner));
    if (breaks && simulation.now().plus(then).isBefore(calm)) {
      simulation.at(
          simulation.now().plus(then),
          () -> {
            if (isThere(name, owner)) {
              simulation.levers().gpuLost(name);
            }
          });
    }
  }

  private boolean isThere(String node, NodeOwner owner) {
    return world.nodes().find(node).filter(n -> owner.equals(n.owner())).isPresent();
  }

  private void giveBack(String node, NodeOwner owner) {
    underWay--;
    if (isThere(node, owner)) {
      listener.did(Disturbance.OTHERS_AT_WORK, node, owner.who() + " gives it back");
      world.nodes().patch(node, n -> n.withOwner(null));
    }
  }
}
