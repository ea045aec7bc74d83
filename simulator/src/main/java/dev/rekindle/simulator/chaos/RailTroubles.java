package dev.rekindle.simulator.chaos;

import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.PoolObject;
import dev.rekindle.simulator.world.Spiderpool;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.random.RandomGenerator;

/**
 * Faults of address pools and rails, in mid-run and in mid-recovery: others take the addresses of a
 * pool, a node loses the device of a rail, an address of a former pod is not freed. Without
 * Spiderpool nothing happens.
 */
final class RailTroubles extends DisturbanceSource {
  private final Spiderpool rails;

  /** How many addresses pools had before others took some. */
  private final Map<String, Integer> sizes = new HashMap<>();

  private final TreeSet<String> lacking = new TreeSet<>();
  private int leaked;

  RailTroubles(Simulation simulation, RandomGenerator random, Tenants.Listener listener) {
    super(simulation, random, listener);
    this.rails = world.spiderpool();
  }

  /** Plans it all for the time between those two. */
  void plan(Instant from, Instant to) {
    calm = to;
    if (!rails.isInstalled()) {
      return;
    }
    RandomTimes.plan(simulation, random, from, to, 5, this::strike);
    if (random.nextBoolean()) {
      midway(8, _ -> strike());
    }
  }

  private void strike() {
    if (isCalm()) {
      return;
    }
    switch (random.nextInt(6)) {
      case 0, 1, 2 -> resize();
      case 3 -> leak();
      default -> loseDevice();
    }
  }

  /** Down to what is booked, or to one address more; or up to what it was. */
  private void resize() {
    List<PoolObject> pools = rails.pools().list();
    PoolObject pool = pools.get(random.nextInt(pools.size()));
    String name = pool.meta().name();
    Integer before = sizes.remove(name);
    int next = before == null ? pool.bookings().size() + random.nextInt(2) : before;
    if (before == null) {
      sizes.put(name, pool.setup().addresses());
    }
    did(name, "it has %d addresses".formatted(next));
    rails.pools().patch(name, p -> p.sized(next));
  }

  private void loseDevice() {
    List<NodeObject> nodes = world.nodes().list();
    String node = nodes.get(random.nextInt(nodes.size())).meta().name();
    boolean gone = !lacking.remove(node);
    if (gone) {
      lacking.add(node);
    }
    did(node, gone ? "the device of its last rail is gone" : "all its rails have devices again");
    rails.lastRailGone(node, gone);
  }

  /** Spiderpool identifies a pod by its name, and frees leaked addresses every ten minutes. */
  private void leak() {
    List<PoolObject> pools = rails.pools().list();
    List<PodObject> pods = world.pods().list();
    if (!pods.isEmpty()) {
      String pool = pools.get(random.nextInt(pools.size())).meta().name();
      String pod = pods.get(random.nextInt(pods.size())).meta().key();
      did(pool, "it still has an address of a former pod " + pod);
      String uid = "former-" + leaked++;
      rails.pools().patch(pool, p -> p.leaking(pod, uid));
    }
  }

  private void did(String subject, String text) {
    listener.did(Disturbance.RAIL_TROUBLE, subject, text);
  }

  /** Pools have what they had, and most nodes all their devices. */
  void calm() {
    sizes.forEach((pool, size) -> rails.pools().patch(pool, p -> p.sized(size)));
    sizes.clear();
    for (String node : List.copyOf(lacking)) {
      if (random.nextInt(4) > 0 && world.nodes().find(node).isPresent()) {
        rails.lastRailGone(node, false);
        lacking.remove(node);
      }
    }
  }
}
