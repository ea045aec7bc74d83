package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RestartReportSpec;
import dev.rekindle.api.RestartReportSpec.PodRestart;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.RestartObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Agents whose calls are refused, that see no changes, whose disks are full or whose clocks step;
 * and a stolen one that makes false reports about other nodes.
 */
final class AgentTroubles extends DisturbanceSource {
  /**
   * What a controller continues by once it is said of all pods: such lies agree with themselves.
   */
  private static final Set<State> WAITED_FOR = EnumSet.of(State.FROZEN, State.RESTARTED);

  private static final List<Integer> REFUSALS = List.of(403, 413, 422, 429, 500, 503);

  private final Set<String> stolen = new HashSet<>();

  AgentTroubles(Simulation simulation, RandomGenerator random, Tenants.Listener listener) {
    super(simulation, random, listener);
  }

  /** In one run of four an agent is stolen. */
  void plan(Instant to) {
    calm = to;
    if (random.nextInt(4) == 0) {
      stolen.add(node());
      world.orders().watch(this::ordered);
    }
  }

  /** Agents work again, and none is stolen. */
  void calm() {
    stolen.clear();
    world.nodeAgents().calm();
  }

  /** A node with a pod of the job, where there is one. */
  String near(JobObject job) {
    List<String> nodes =
        world.podsOf(job).stream().map(PodObject::node).filter(n -> !n.isEmpty()).toList();
    return nodes.isEmpty() ? node() : nodes.get(random.nextInt(nodes.size()));
  }

  private String node() {
    var nodes = world.nodes().list();
    return nodes.get(random.nextInt(nodes.size())).meta().name();
  }

  private Duration untilCalm(int mostMillis) {
    Duration time = Duration.ofMillis(random.nextInt(mostMillis));
    Duration left = Duration.between(simulation.now(), calm);
    return time.compareTo(left) < 0 ? time : left;
  }

  void refuse(String node) {
    int code = REFUSALS.get(random.nextInt(REFUSALS.size()));
    Duration time = untilCalm(60_000);
    listener.did(Disturbance.AGENT_REFUSED, node, "writes of its agent are refused with " + code);
    world.nodeAgents().refused(node, code, time);
  }

  void blind(String node) {
    listener.did(Disturbance.AGENT_BLIND, node, "its agent sees no changes");
    world.nodeAgents().blind(node, untilCalm(20_000));
  }

  void fillDisk(String node) {
    listener.did(Disturbance.AGENT_DISK_FULL, node, "its disk is full");
    world.nodeAgents().diskFull(node, untilCalm(30_000));
  }

  void loseCalls() {
    listener.did(Disturbance.AGENT_CALLS_LOST, "agents", "some of their calls are lost");
    world.nodeAgents().loseCalls(0.2 * random.nextDouble(), 0.2 * random.nextDouble());
  }

  /** By up to a few seconds, as where time servers disagree, or by up to an hour. */
  void stepClock(String node) {
    int most = random.nextBoolean() ? 5_000 : 3_600_000;
    Duration by = Duration.ofMillis(random.nextInt(-most, most));
    listener.did(Disturbance.AGENT_CLOCK, node, "its clock steps by " + by);
    world.nodeAgents().clockSteps(node, by);
  }

  /** A thief of the token of a node may write reports in its name, about whatever pods. */
  private void ordered(Change<OrderObject> change) {
    OrderObject order = change.after();
    if (order == null || isCalm()) {
      return;
    }
    if (random.nextInt(3) == 0) {
      // A lie does harm where the truth is late.
      world.jobs().find(order.job().toString()).ifPresent(job -> blind(near(job)));
    }
    simulation.at(
        simulation.now().plusMillis(random.nextInt(2_000)),
        () -> stolen.forEach(n -> lie(n, order)));
  }

  private void lie(String node, OrderObject order) {
    List<PodObject> pods = world.podsOf(order.job());
    boolean there = world.orders().find(order.meta().key()).isPresent();
    if (!there || pods.isEmpty() || pods.stream().anyMatch(p -> p.node().equals(node))) {
      return;
    }
    State[] states = State.values();
    List<PodRestart> lies = new ArrayList<>();
    for (PodObject pod : pods) {
      State drawn = states[random.nextInt(states.length)];
      boolean agrees = !lies.isEmpty() && WAITED_FOR.contains(lies.getFirst().state());
      lies.add(
          new PodRestart(
              pod.meta().name(),
              pod.meta().uid(),
              pod.meta().uid() + "-" + pod.status().restarts(),
              pod.status().restarts(),
              "cgroup-v2",
              agrees ? lies.getFirst().state() : drawn));
    }
    RestartReportSpec spec =
        new RestartReportSpec(
            order.meta().name(),
            order.meta().uid(),
            node,
            order.spec().job(),
            order.spec().instruction(),
            "",
            lies,
            simulation.now());
    listener.did(Disturbance.AGENT_LIES, node, "says of pods of other nodes what they are not");
    String name = order.meta().name() + "." + node;
    String key = order.meta().namespace() + "/" + name;
    if (world.restarts().find(key).isPresent()) {
      world.restarts().patch(key, r -> new RestartObject(r.meta(), spec));
    } else {
      world
          .restarts()
          .create(
              new RestartObject(
                  Meta.draft(order.meta().namespace(), name, order.meta().uid()), spec));
    }
  }
}
