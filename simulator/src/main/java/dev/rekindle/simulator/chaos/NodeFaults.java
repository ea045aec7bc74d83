package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.simulator.FaultInjector;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.world.FaultObject;
import dev.rekindle.simulator.world.PodObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/** Nodes that hang, are cut off or are rebooted, and what those who look after them see. */
final class NodeFaults {
  /** Of node-problem-detector: two that fence, one that is only watched. */
  private static final List<String> CONDITIONS =
      List.of("KernelDeadlock", "ReadonlyFilesystem", "XIDErrors");

  private static final Set<String> REBOOT_MENDS = Set.of("XID-79", "XID-95");

  private final Simulation simulation;
  private final FaultInjector levers;
  private final RandomGenerator random;

  NodeFaults(Simulation simulation, RandomGenerator random) {
    this.simulation = simulation;
    this.levers = simulation.levers();
    this.random = random;
  }

  /** Hits the node, and in half of the cases it returns. */
  void forAWhile(String node, Consumer<String> lever) {
    lever.accept(node);
    if (random.nextBoolean()) {
      simulation.at(
          simulation.now().plusMillis(random.nextInt(90_000)), () -> levers.nodeReturns(node));
    }
  }

  /** What looks after nodes sees something, and in most cases that it is over. */
  void condition(String node) {
    String type = CONDITIONS.get(random.nextInt(CONDITIONS.size()));
    levers.condition(node, type, "True", "Seen");
    if (random.nextInt(4) > 0) {
      int millis = random.nextInt(120_000);
      simulation.at(
          simulation.now().plusMillis(millis), () -> levers.condition(node, type, "False", "Over"));
      if (millis % 2 == 0) {
        // Its author cannot say for a while whether it still holds.
        simulation.at(
            simulation.now().plusMillis(millis / 2),
            () -> levers.condition(node, type, "Unknown", "Silent"));
      }
    }
  }

  /** Reboots the node; its kubelet may not say that it was away. */
  void reboot(String node, Duration time) {
    if (random.nextInt(3) == 0) {
      levers.rebootQuietly(node, time);
    } else {
      levers.reboot(node, time);
    }
  }

  /** All nodes of a gang lose the API server together; the controller keeps it. */
  void partition(JobKey job) {
    Instant back = simulation.now().plusMillis(10_000 + random.nextInt(80_000));
    for (PodObject pod : simulation.world().podsOf(job)) {
      if (!pod.node().isEmpty()) {
        levers.cutOff(pod.node());
        simulation.at(back, () -> levers.nodeReturns(pod.node()));
      }
    }
  }

  /** Whether all that is wrong with the node is what a reboot repairs, and agents have said it. */
  boolean mendedByReboot(String node) {
    boolean any = false;
    for (FaultObject fault : simulation.world().faults().all()) {
      if (fault.view().node().equals(node)) {
        any = true;
        if (!REBOOT_MENDS.contains(fault.view().code())) {
          return false;
        }
      }
    }
    return any && simulation.world().machine(node).mendable();
  }
}
