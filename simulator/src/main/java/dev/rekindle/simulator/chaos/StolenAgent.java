package dev.rekindle.simulator.chaos;

import dev.rekindle.api.LoadErrorKind;
import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.NodeFaultStatus;
import dev.rekindle.api.NodeFaultStatus.Incident;
import dev.rekindle.api.RankReportStatus.LoadError;
import dev.rekindle.api.RankReportStatus.Loss;
import dev.rekindle.api.RankReportStatus.RestartAsked;
import dev.rekindle.api.Transport;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.detect.fault.FaultName;
import dev.rekindle.detect.fault.FaultState;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.world.FaultObject;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.RankObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * An attacker with the token of one node writes the worst that admission allows: NodeFaults of that
 * node, with victims that were never there, and RankReports under its own name, on pods of other
 * nodes. Sizes are the greatest that are stored, times are years off.
 */
final class StolenAgent {
  /** What its texts about its own node begin with. */
  static final String OF_ITS_NODE = "forged by a stolen agent: ";

  /** What its texts about pods of other nodes begin with: nothing may repeat them. */
  static final String LIE = "forged for another node's pod: ";

  /** More steps than any job here makes. */
  static final long STEP = 907_060_504_000L;

  /** What it says of the network of pods of other nodes. */
  private static final Transport TRANSPORT =
      new Transport(1, 1, 0, List.of("IB"), List.of("mlx5_9"), 1, 2, 2, 0, LIE);

  private static final int INCIDENTS = 12;
  private static final int LINE = 1_024;

  /** By code, the component that it names: those of real faults, and an unknown one. */
  private static final Map<String, String> CODES =
      new TreeMap<>(
          Map.of(
              "XID-79", "0000:3b:00", "XID-31", "0000:3b:00", "XID-13", "0000:3b:00", "Z-1", ""));

  private final Simulation simulation;
  private final World world;
  private final RandomGenerator random;
  private final Tenants.Listener listener;
  private final List<String> faults = new ArrayList<>();
  private final List<String> reports = new ArrayList<>();
  private String node = "";

  StolenAgent(Simulation simulation, RandomGenerator random, Tenants.Listener listener) {
    this.simulation = simulation;
    this.world = simulation.world();
    this.random = random;
    this.listener = listener;
  }

  /** Plans it all for the time between those two. */
  void plan(Instant from, Instant to) {
    if (random.nextInt(6) > 0) {
      return;
    }
    var nodes = world.nodes().list();
    node = nodes.get(random.nextInt(nodes.size())).meta().name();
    RandomTimes.plan(simulation, random, from, to, 8, this::strike);
  }

  private void strike() {
    if (random.nextInt(3) == 0) {
      forgeFault();
    } else {
      lieOfSteps();
    }
  }

  /** Now, long ago, or in a year that no clock shows yet. */
  private Instant time() {
    Duration off =
        switch (random.nextInt(3)) {
          case 0 -> Duration.ZERO;
          case 1 -> Duration.ofDays(-3_650);
          default -> Duration.ofDays(36_500);
        };
    return simulation.now().plus(off);
  }

  private static String text(String begin, int length) {
    return begin + "x".repeat(length - begin.length());
  }

  // --- faults of its own node -----------------------------------------------------------------

  private void forgeFault() {
    List<String> codes = List.copyOf(CODES.keySet());
    String code = codes.get(random.nextInt(codes.size()));
    String component = CODES.getOrDefault(code, "");
    String name = FaultName.of(node, component, code);
    if (world.faults().find(name).isPresent() || world.nodes().find(node).isEmpty()) {
      return;
    }
    Instant time = time();
    String boot = world.machine(node).bootId();
    NodeFaultSpec spec =
        new NodeFaultSpec(
            node,
            component.isEmpty() ? ComponentType.NODE : ComponentType.GPU,
            component,
            code,
            "stolen",
            random.nextBoolean() ? FenceGuidance.ALWAYS : FenceGuidance.THRESHOLD,
            "investigate",
            boot,
            time,
            text(OF_ITS_NODE, LINE));
    NodeFaultStatus status =
        new NodeFaultStatus(
            NodeFaultStatus.State.ACTIVE,
            Long.MAX_VALUE,
            time,
            boot,
            Long.MAX_VALUE,
            text(OF_ITS_NODE, LINE),
            victims(time, boot),
            "",
            null);
    listener.did(Disturbance.AGENT_FORGES_FAULT, node, "its stolen agent writes NodeFault " + name);
    faults.add(name);
    world
        .faults()
        .create(FaultObject.of(Meta.draft("", name, ""), new FaultState(spec, status), true));
  }

  /** Owners of jobs that run elsewhere: that they fail here as well would excuse their nodes. */
  private List<Incident> victims(Instant time, String boot) {
    List<Incident> victims = new ArrayList<>();
    for (JobObject job : world.jobs().list()) {
      if (victims.size() < INCIDENTS && world.podsOf(job).stream().noneMatch(this::isHere)) {
        victims.add(
            new Incident(
                time,
                time,
                Long.MAX_VALUE,
                "GPC 1 TPC 2",
                job.meta().namespace(),
                job.key().name() + "-worker-0",
                job.meta().uid(),
                boot,
                job.key().name(),
                "python",
                "",
                List.of()));
      }
    }
    return victims;
  }

  private boolean isHere(PodObject pod) {
    return pod.node().equals(node);
  }

  // --- reports on pods of other nodes ---------------------------------------------------------

  private void lieOfSteps() {
    List<PodObject> others =
        world.pods().list().stream().filter(p -> !p.node().isEmpty() && !isHere(p)).toList();
    if (others.isEmpty()) {
      return;
    }
    PodObject pod = others.get(random.nextInt(others.size()));
    String name = pod.meta().name() + "." + node;
    String key = pod.meta().namespace() + "/" + name;
    listener.did(
        Disturbance.AGENT_LIES_OF_STEPS, node, "its stolen agent reports on " + pod.meta().key());
    RankView lie = lie(pod);
    RankObject before = world.ranks().find(key).orElse(null);
    if (before != null) {
      world.ranks().remove(key, before.meta().uid());
    }
    world
        .ranks()
        .create(new RankObject(Meta.draft(pod.meta().namespace(), name, pod.meta().uid()), lie));
    reports.add(key);
  }

  private RankView lie(PodObject pod) {
    Instant time = time();
    Instant now = simulation.now();
    RankView lie =
        new RankView(
                pod.job(),
                pod.meta().name(),
                pod.meta().uid(),
                node,
                pod.status().restarts() + random.nextInt(2),
                STEP,
                STEP + random.nextInt(1_000),
                time,
                time,
                now,
                null,
                null,
                false,
                false,
                null,
                null,
                null,
                null)
            .withTransport(TRANSPORT);
    return switch (random.nextInt(4)) {
      case 0 ->
          lie.withAsked(new RestartAsked(text(LIE, LINE), random.nextBoolean() ? null : 1L, now));
      case 1 ->
          lie.withLoadError(
              new LoadError(LoadErrorKind.REFUSED, LIE, pod.status().restarts(), now));
      case 2 -> lie.withLoss(new Loss(null, Integer.MAX_VALUE));
      default -> lie;
    };
  }

  // --- the calm -------------------------------------------------------------------------------

  /** The token is taken away, and what it wrote is deleted. */
  void calm() {
    for (String name : faults) {
      world
          .faults()
          .find(name)
          .filter(f -> f.state().spec().detector().equals("stolen"))
          .ifPresent(f -> world.faults().delete(name, "", null));
    }
    for (String key : reports) {
      world.ranks().find(key).ifPresent(r -> world.ranks().remove(key, r.meta().uid()));
    }
  }
}
