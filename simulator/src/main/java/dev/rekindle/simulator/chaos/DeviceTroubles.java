package dev.rekindle.simulator.chaos;

import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.setup.DeviceStack;
import dev.rekindle.simulator.world.DevicePlugins;
import dev.rekindle.simulator.world.DraDrivers;
import dev.rekindle.simulator.world.NodeObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * What device plugins, DRA drivers and HAMi say of devices, where a cluster has them: rightly, as
 * the only ones, or by mistake; and they go away for a while. In half of these clusters some of it
 * begins once all else is calm, and ends some minutes later.
 */
final class DeviceTroubles extends DisturbanceSource {
  private static final int MOST = 6;
  private static final int MOST_LATE = 3;
  private static final int LATE_MILLIS = 30_000;
  private static final List<String> KEYS = List.of("sick.example.com/xid", "sick.example.com/ecc");
  private static final String EVICTS = "NoExecute";

  /** The node whose plugin was mistaken before the run began; empty where none was. */
  private String doubted = "";

  private int underWay;

  DeviceTroubles(Simulation simulation, RandomGenerator random, Tenants.Listener listener) {
    super(simulation, random, listener);
  }

  private DevicePlugins plugins() {
    return world.devices().plugins();
  }

  private DraDrivers drivers() {
    return world.devices().drivers();
  }

  /** Plans it all for the time between those two. */
  void plan(Instant from, Instant to) {
    calm = to;
    if (!plugins().isInstalled()) {
      return;
    }
    List<NodeObject> nodes = world.nodes().list();
    if (plugins().stack() != DeviceStack.DRA && random.nextBoolean()) {
      doubted = nodes.get(random.nextInt(nodes.size())).meta().name();
      world.pastFaults().doubted(doubted);
    }
    RandomTimes.plan(simulation, random, from, to, MOST, () -> begins(false));
    if (random.nextBoolean()) {
      for (int i = 1 + random.nextInt(MOST_LATE - 1); i > 0; i--) {
        underWay++;
        simulation.at(
            to.plusMillis(1 + random.nextInt(LATE_MILLIS)),
            () -> {
              underWay--;
              begins(true);
            });
      }
    }
  }

  /** Whether something late has yet to begin or to end. */
  boolean unfinished() {
    return underWay > 0;
  }

  /** What people can put right is. */
  void calm() {
    if (!plugins().isInstalled()) {
      return;
    }
    for (NodeObject node : world.nodes().list()) {
      String name = node.meta().name();
      plugins().comesBack(name);
      drivers().untaint(name);
      drivers().comesBack(name);
    }
  }

  private void begins(boolean late) {
    List<NodeObject> nodes = world.nodes().list();
    if (nodes.isEmpty()) {
      return;
    }
    String any = nodes.get(random.nextInt(nodes.size())).meta().name();
    boolean again = world.nodes().find(doubted).isPresent() && random.nextInt(3) == 0;
    String node = again ? doubted : any;
    switch (plugins().stack()) {
      case PLUGINS -> ofPlugins(node, late);
      case HAMI -> ofHami(node, late);
      case DRA -> ofDrivers(node, late);
      case NONE -> {}
    }
  }

  // --- device plugins -------------------------------------------------------------------------

  private void ofPlugins(String node, boolean late) {
    switch (random.nextInt(8)) {
      case 0 -> restarts(node, seconds(2, 50), late);
      case 1 -> restarts(node, seconds(70, 500), late);
      case 2 -> {
        did(Disturbance.PLUGIN_AWAY, node, "the plugin of its RDMA devices ends");
        plugins().hcasGoAway(node);
        ends(seconds(10, 400), late, () -> plugins().comesBack(node));
      }
      case 3, 4 -> {
        did(Disturbance.DEVICE_DOUBTED, node, "its plugin marks a sound GPU");
        plugins().marksOne(node);
        ends(seconds(20, 300), late, () -> startsAnew(node));
      }
      case 5 -> {
        did(Disturbance.DEVICE_DOUBTED, node, "its plugin marks all of its GPUs");
        plugins().marksAll(node);
        ends(seconds(20, 300), late, () -> startsAnew(node));
      }
      case 6 -> flaps(node, 2 + random.nextInt(6), late);
      default -> breaksSilently(node, late);
    }
  }

  private void restarts(String node, Duration time, boolean late) {
    did(Disturbance.PLUGIN_AWAY, node, "its device plugin ends, for " + time.toSeconds() + " s");
    plugins().goesAway(node);
    ends(time, late, () -> plugins().comesBack(node));
  }

  /** A restart takes some seconds. */
  private void startsAnew(String node) {
    plugins().goesAway(node);
    ends(seconds(2, 20), true, () -> plugins().comesBack(node));
  }

  /** Marks by mistake, and starts anew, again and again. */
  private void flaps(String node, int times, boolean late) {
    if (times == 0 || (!late && isCalm())) {
      return;
    }
    did(Disturbance.DEVICE_DOUBTED, node, "its plugin marks a sound GPU, and will again");
    plugins().marksOne(node);
    ends(
        seconds(5, 30),
        late,
        () -> {
          plugins().comesBack(node);
          ends(seconds(5, 40), late, () -> flaps(node, times - 1, late));
        });
  }

  private void breaksSilently(String node, boolean late) {
    did(Disturbance.DEVICE_DOUBTED, node, "a GPU breaks, and its plugin alone sees it");
    world.hardware().gpuBreaksSilently(node);
    if (late) {
      ends(seconds(150, 300), true, () -> simulation.levers().repaired(node));
    }
  }

  private void ofHami(String node, boolean late) {
    switch (random.nextInt(6)) {
      case 0 -> restarts(node, seconds(2, 50), late);
      case 1 -> restarts(node, seconds(70, 500), late);
      case 2, 3 -> {
        did(Disturbance.DEVICE_DOUBTED, node, "HAMi holds a sound GPU for unhealthy");
        plugins().marksOne(node);
        ends(seconds(20, 300), late, () -> plugins().takesBack(node));
      }
      case 4 -> flapsByItself(node, 2 + random.nextInt(6), late);
      default -> breaksSilently(node, late);
    }
  }

  private void flapsByItself(String node, int times, boolean late) {
    if (times == 0 || (!late && isCalm())) {
      return;
    }
    did(Disturbance.DEVICE_DOUBTED, node, "HAMi holds a sound GPU for unhealthy, and will again");
    plugins().marksOne(node);
    ends(
        seconds(30, 100),
        late,
        () -> {
          plugins().takesBack(node);
          ends(seconds(10, 40), late, () -> flapsByItself(node, times - 1, late));
        });
  }

  // --- DRA ------------------------------------------------------------------------------------

  private void ofDrivers(String node, boolean late) {
    String key = KEYS.get(random.nextInt(KEYS.size()));
    switch (random.nextInt(10)) {
      case 0, 1 -> {
        did(Disturbance.DEVICE_TAINTED, node, "its driver taints a GPU NoExecute");
        drivers().taints(node, key, EVICTS);
        ends(seconds(20, 300), late, () -> drivers().untaint(node, key));
      }
      case 2 -> {
        did(Disturbance.DEVICE_TAINTED, node, "a GPU breaks, and its driver taints it NoExecute");
        simulation.levers().gpuLost(node);
        drivers().taints(node, key, EVICTS);
        if (late) {
          ends(seconds(150, 300), true, () -> simulation.levers().repaired(node));
        }
      }
      case 3 -> {
        did(Disturbance.DEVICE_TAINTED, node, "its driver taints a GPU NoSchedule");
        drivers().taints(node, key, "NoSchedule");
        ends(seconds(20, 300), late, () -> drivers().untaint(node, key));
      }
      case 4 -> rule(node, key, EVICTS, true, false, late);
      case 5 -> rule(node, key, "NoSchedule", random.nextBoolean(), false, late);
      case 6, 7 -> rule(node, key, EVICTS, random.nextBoolean(), true, late);
      case 8 -> {
        did(Disturbance.PLUGIN_AWAY, node, "its DRA driver ends");
        drivers().goesAway(node);
        ends(seconds(5, 180), late, () -> drivers().comesBack(node));
      }
      default -> {
        did(Disturbance.PLUGIN_AWAY, node, "its kubelet is started anew");
        drivers().kubeletRestarts(node);
      }
    }
    if (random.nextInt(3) == 0) {
      ends(
          seconds(5, 60),
          late,
          () -> {
            did(Disturbance.PLUGIN_AWAY, node, "its kubelet is started anew");
            drivers().kubeletRestarts(node);
          });
    }
  }

  private void rule(
      String node, String key, String effect, boolean all, boolean selected, boolean late) {
    did(
        Disturbance.DEVICE_TAINTED,
        node,
        "a rule taints devices of it %s%s".formatted(effect, selected ? ", by an expression" : ""));
    drivers().rules(node, key, effect, all, selected);
    ends(seconds(20, 300), late, () -> drivers().untaint(node, key));
  }

  private void did(Disturbance what, String node, String text) {
    listener.did(what, node, text);
  }

  private Duration seconds(int least, int most) {
    return Duration.ofSeconds(least + random.nextInt(most - least));
  }

  /** Does it after that time; what began before the calm has ended with it. */
  private void ends(Duration after, boolean late, Runnable how) {
    underWay += late ? 1 : 0;
    simulation.at(
        simulation.now().plus(after),
        () -> {
          underWay -= late ? 1 : 0;
          if (late || !isCalm()) {
            how.run();
          }
        });
  }
}
