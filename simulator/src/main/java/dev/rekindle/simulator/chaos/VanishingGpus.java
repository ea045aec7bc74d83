package dev.rekindle.simulator.chaos;

import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.world.NodeObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * In a share of the seeds NVML loses a GPU, and a person reboots its node, again and again: after
 * some of the boots it is still missing, and then it is back, and the agent reports it as cleared
 * by a reboot. A fault that has come back after two reboots stays fenced until a person repairs the
 * node. Also in the calm.
 */
final class VanishingGpus extends DisturbanceSource {
  private static final int SEEDS = 8;
  private static final int MOST_BOOTS = 4;
  private static final int FIRST_MILLIS = 40_000;
  private static final int LAST_MILLIS = 120_000;
  private static final int OFF_MILLIS = 8_000;
  private static final Duration REPAIRED = Duration.ofSeconds(200);

  private int underWay;

  VanishingGpus(Simulation simulation, RandomGenerator random, Tenants.Listener listener) {
    super(simulation, random, listener);
  }

  /** Plans it all for the time between those two. */
  void plan(Instant from, Instant to) {
    calm = to;
    if (random.nextInt(SEEDS) > 0) {
      return;
    }
    if (random.nextBoolean()) {
      RandomTimes.plan(simulation, random, from, to, 2, () -> vanishes(false));
    }
    if (random.nextBoolean()) {
      // Once all else is repaired.
      underWay++;
      simulation.at(
          to.plusMillis(1 + random.nextInt(FIRST_MILLIS)),
          () -> {
            underWay--;
            vanishes(true);
          });
    }
  }

  /** Whether a person will still act. */
  boolean unfinished() {
    return underWay > 0;
  }

  private void vanishes(boolean late) {
    List<NodeObject> nodes = world.nodes().list();
    if (nodes.isEmpty()) {
      return;
    }
    String node = nodes.get(random.nextInt(nodes.size())).meta().name();
    int boots = 1 + random.nextInt(MOST_BOOTS);
    listener.did(
        Disturbance.GPU_VANISHED, node, "NVML lists a GPU no more, in %d boots".formatted(boots));
    world.hardware().gpuVanishes(node, boots);
    reboot(node, boots, late);
  }

  /** The node is rebooted so many times; the last one is waited for longest. */
  private void reboot(String node, int left, boolean late) {
    int wait = 1 + random.nextInt(left > 1 ? FIRST_MILLIS : LAST_MILLIS);
    Duration off = Duration.ofMillis(1_000 + random.nextInt(OFF_MILLIS));
    boolean quietly = random.nextInt(3) == 0;
    underWay++;
    simulation.at(
        simulation.now().plusMillis(wait),
        () -> {
          underWay--;
          if (!late && isCalm()) {
            // It was repaired.
            return;
          }
          if (world.nodes().find(node).isPresent()) {
            if (quietly) {
              simulation.levers().rebootQuietly(node, off);
            } else {
              simulation.levers().reboot(node, off);
            }
          }
          if (left > 1) {
            reboot(node, left - 1, late);
          } else if (late) {
            repairLater(node);
          }
        });
  }

  private void repairLater(String node) {
    underWay++;
    simulation.at(
        simulation.now().plus(REPAIRED),
        () -> {
          underWay--;
          simulation.levers().repaired(node);
        });
  }
}
