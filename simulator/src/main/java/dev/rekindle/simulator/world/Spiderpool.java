package dev.rekindle.simulator.world;

import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeRoom;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodNeeds;
import dev.rekindle.controller.network.MultusView;
import dev.rekindle.controller.network.NetworkWish;
import dev.rekindle.controller.network.PoolView.Booking;
import dev.rekindle.controller.network.WebhookView;
import dev.rekindle.detect.node.ConditionReading;
import dev.rekindle.simulator.api.Collection;
import dev.rekindle.simulator.setup.RailSetup;
import dev.rekindle.simulator.world.SimEvent.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * Spiderpool 1.2 as it was measured: a pod gets an address of a pool for each rail as its sandbox
 * is made, and gives them back as its sandbox goes. It identifies pods by name: where another pod
 * has the name of one before it, the addresses of that one stay booked until a scan compares UIDs,
 * every ten minutes. Simpler than the real one: all addresses of a pod come at once or not at all.
 * Nothing moves, and no chance is drawn, where it is not installed.
 */
public final class Spiderpool {
  /** From the binding of a pod to the CNI ADD of its sandbox. */
  static final Duration ADD = Duration.ofMillis(400);

  /** From one try of a kubelet to make a sandbox to the next. */
  static final Duration RETRY = Duration.ofSeconds(13);

  private static final Duration TRACE = Duration.ofSeconds(5);
  private static final Duration SCAN = Duration.ofMinutes(10);
  private static final String GROUP = "rails";
  private static final NetworkWish WISH =
      new NetworkWish(GROUP, null, List.of(), null, List.of(), false, List.of());

  private final World world;
  private final Collection<PoolObject> pools;
  private final Set<String> lacking = new HashSet<>();

  /** SpiderEndpoints: the UID of the pod that has addresses, by namespace and name. */
  private final Map<String, String> endpoints = new HashMap<>();

  private int rails;

  Spiderpool(World world, Collection<PoolObject> pools) {
    this.world = world;
    this.pools = pools;
  }

  /** Installs it. */
  void install(RailSetup setup) {
    rails = setup.rails();
    setup.pools().forEach(pool -> pools.create(PoolObject.draft(pool)));
    world.loop().after(TRACE, this::trace);
    world.loop().after(SCAN, this::scan);
  }

  /** Whether there is a Spiderpool. */
  public boolean isInstalled() {
    return rails > 0;
  }

  /** SpiderIPPools. */
  public Collection<PoolObject> pools() {
    return pools;
  }

  /** Another pool. */
  public void add(RailSetup.Pool pool) {
    pools.create(PoolObject.draft(pool));
  }

  /** The device plugin of the last rail offers nothing on the node, or does again. */
  public void lastRailGone(String node, boolean gone) {
    boolean _ = gone ? lacking.add(node) : lacking.remove(node);
    // The kubelet writes what is allocatable; the object here keeps only that it was written.
    var written = new ConditionReading("RdmaDevicePlugin", gone ? "False" : "True", "", "", null);
    world.nodes().patch(node, n -> n.with(written));
  }

  /** Whether a pod of a training job finds no device of a rail there. */
  boolean lacksDevice(String node) {
    return lacking.contains(node);
  }

  /**
   * Whether a pod finds a device and an address of each rail on the node.
   *
   * @param leaving UIDs of pods whose addresses are free by then
   */
  public boolean takes(String node, String leaf, Set<String> leaving) {
    return !lacking.contains(node)
        && IntStream.rangeClosed(1, rails)
            .allMatch(rail -> pools.list().stream().anyMatch(p -> p.offers(rail, leaf, leaving)));
  }

  /**
   * For how many pods there are addresses at most, where each leaf has so many places.
   *
   * @param leaving UIDs of pods whose addresses are free by then
   */
  public long places(Map<String, Integer> byLeaf, Set<String> leaving) {
    return IntStream.rangeClosed(1, rails)
        .mapToLong(
            rail -> {
              long found = 0;
              long all = 0;
              for (PoolObject pool : pools.list()) {
                if (pool.setup().rail() == rail) {
                  long free = Math.max(0, pool.free(leaving));
                  if (pool.setup().leaf().isEmpty()) {
                    all += free;
                  } else {
                    found += Math.min(free, byLeaf.getOrDefault(pool.setup().leaf(), 0));
                  }
                }
              }
              long places = byLeaf.values().stream().mapToLong(Integer::longValue).sum();
              return Math.min(places, found + all);
            })
        .min()
        .orElse(0);
  }

  /** Addresses of pods that there are no more. */
  public List<Booking> leaked() {
    return pools.list().stream().flatMap(p -> p.bookings().stream()).filter(this::isStale).toList();
  }

  private boolean isStale(Booking booking) {
    return world
        .pods()
        .find(booking.pod())
        .filter(p -> p.meta().uid().equals(booking.uid()))
        .isEmpty();
  }

  // --- what the controller sees -------------------------------------------------------------

  /** The job, whose template requests the rails. */
  public JobView asking(JobView job) {
    PodNeeds needs = new PodNeeds(Amounts.NONE, Map.of(), List.of(), List.of(), false, WISH);
    return job.withReplicas(
        job.replicas().stream()
            .map(r -> r.withNeeds(needs.withClaims(r.needs().claims())))
            .toList());
  }

  /** The node, with its devices. */
  public NodeView offering(NodeView node) {
    Map<String, Long> devices = new HashMap<>();
    IntStream.rangeClosed(1, lacking.contains(node.name()) ? rails - 1 : rails)
        .forEach(rail -> devices.put(resource(rail), 100L));
    devices.put("pods", 110L);
    return node.withRoom(new NodeRoom(Amounts.of(devices), List.of()));
  }

  /** SpiderMultusConfigs: one for each rail. */
  public List<MultusView> configs() {
    return IntStream.rangeClosed(1, rails)
        .mapToObj(
            rail ->
                new MultusView(
                    "spiderpool/rail" + rail,
                    GROUP,
                    "",
                    "macvlan",
                    "ens" + rail,
                    resource(rail),
                    List.of("r" + rail + "-*"),
                    List.of(),
                    false))
        .toList();
  }

  /** The webhook that adds the rails to pods. */
  public WebhookView webhook() {
    return new WebhookView("spiderpool-controller", true, "spiderpool/spiderpool-controller");
  }

  private static String resource(int rail) {
    return "spidernet.io/rail" + rail;
  }

  // --- addresses ----------------------------------------------------------------------------

  /** CNI ADD: whether the pod has all its addresses. */
  boolean attach(PodObject pod, String leaf) {
    String key = pod.meta().key();
    String uid = pod.meta().uid();
    if (!isInstalled() || uid.equals(endpoints.get(key))) {
      return true;
    }
    // Of a pod before it the endpoint is deleted, and its addresses are not released.
    endpoints.remove(key);
    List<String> found = new ArrayList<>();
    for (int rail = 1; rail <= rails; rail++) {
      int wanted = rail;
      var open = pools.list().stream().filter(p -> p.offers(wanted, leaf)).findFirst();
      if (open.isEmpty()) {
        world.emit(
            Kind.POD, pod.meta().name(), "FailedCreatePodSandBox: no address for net" + rail);
        return false;
      }
      found.add(open.get().meta().key());
    }
    found.forEach(pool -> pools.patch(pool, p -> p.booked(pod)));
    endpoints.put(key, uid);
    return true;
  }

  /** CNI DEL, which asks who has the name now. */
  void detach(PodObject pod) {
    String key = pod.meta().key();
    boolean reused =
        world
            .pods()
            .find(key)
            .filter(p -> !p.meta().uid().equals(pod.meta().uid()) && p.live())
            .filter(p -> !p.meta().terminating())
            .isPresent();
    if (isInstalled() && !reused) {
      release(key, pod.meta().uid());
    }
  }

  private void release(String key, String uid) {
    if (endpoints.remove(key, uid)) {
      drop(b -> b.uid().equals(uid));
    }
  }

  private void drop(Predicate<Booking> which) {
    for (PoolObject pool : pools.list()) {
      if (pool.bookings().stream().anyMatch(which)) {
        pools.patch(pool.meta().key(), p -> p.without(which));
      }
    }
  }

  /** Pods that are gone, or Terminating for twice their grace period: by their endpoints. */
  private void trace() {
    for (Map.Entry<String, String> endpoint : List.copyOf(endpoints.entrySet())) {
      PodObject pod = world.pods().find(endpoint.getKey()).orElse(null);
      if (pod == null || (pod.meta().uid().equals(endpoint.getValue()) && isOverdue(pod))) {
        release(endpoint.getKey(), endpoint.getValue());
      }
    }
    world.loop().after(TRACE, this::trace);
  }

  private boolean isOverdue(PodObject pod) {
    Instant deadline = pod.meta().deletionDeadline();
    Long grace = pod.meta().deletionGrace();
    return deadline != null
        && grace != null
        && world.nodes().find(pod.node()).isPresent()
        && !world.now().isBefore(deadline.plusSeconds(grace));
  }

  private void scan() {
    drop(this::isStale);
    world.loop().after(SCAN, this::scan);
  }
}
