package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RestartReportSpec;
import dev.rekindle.api.RestartReportSpec.PodRestart;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.api.ApiError;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.RestartObject;
import dev.rekindle.simulator.world.SimEvent.Kind;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * What goes wrong though nothing is broken: agents whose calls are refused, whose disks are full or
 * whose clocks step; one that was stolen and lies of other nodes; tenants who change their jobs in
 * mid-run, forge lines of their logs or copy what is not theirs. All of it from the seed.
 */
final class Disturbances {
  /**
   * What a controller continues by once it is said of all pods: such lies agree with themselves.
   */
  private static final Set<State> WAITED_FOR = EnumSet.of(State.FROZEN, State.RESTARTED);

  private static final int TERMINATES_WITHIN = 500;

  private static final List<Integer> REFUSALS = List.of(403, 413, 422, 429, 500, 503);

  private final Simulation simulation;
  private final World world;
  private final RandomGenerator random;
  private final Map<Disturbance, Integer> counts = new EnumMap<>(Disturbance.class);
  private final Set<String> stolen = new HashSet<>();
  private final Set<String> unnoticed = new HashSet<>();
  private final Tenants tenants;
  private final NodeChanges hosts;
  private final ManualEdits hands;
  private final Templates templates;
  private final Poisons poisons;
  private final StolenAgent stolenAgent;
  private final LostLines lines;
  private final LyingAgent lyingAgent;
  private final LateOptOuts optOuts;
  private final LaxPolicy lax;
  private final OwnersInTheAct owners;
  private final TroubleAgain again;
  private final QueueTroubles queues;
  private final RailTroubles rails;
  private final RareTroubles rare;
  private Instant calm = Instant.MAX;

  Disturbances(
      Simulation simulation,
      SplittableRandom random,
      Policy policy,
      RandomGenerator byHand,
      RandomGenerator edits,
      RandomGenerator poisons,
      RandomGenerator forgeries,
      RandomGenerator logs,
      RandomGenerator lies,
      RandomGenerator wishes,
      RandomGenerator acts,
      RandomGenerator surroundings,
      RandomGenerator rare) {
    this.simulation = simulation;
    this.world = simulation.world();
    this.tenants = new Tenants(simulation, random.split(), policy, this::did);
    this.hosts = new NodeChanges(simulation, random.split(), this::did);
    this.hands = new ManualEdits(simulation, byHand, this::did);
    this.templates = new Templates(simulation, edits, this::did);
    this.poisons = new Poisons(simulation, poisons, this::did);
    this.stolenAgent = new StolenAgent(simulation, forgeries, this::did);
    this.lines = new LostLines(simulation, logs, this::did);
    this.lyingAgent = new LyingAgent(simulation, lies, this::did);
    this.optOuts = new LateOptOuts(simulation, wishes, this::did);
    this.lax = new LaxPolicy(simulation, wishes, policy, this::did);
    this.owners = new OwnersInTheAct(simulation, acts, this::did);
    this.again = new TroubleAgain(simulation, acts, this::did);
    this.queues = new QueueTroubles(simulation, surroundings, this::did);
    this.rails = new RailTroubles(simulation, surroundings, this::did);
    this.rare = new RareTroubles(simulation, rare, this::did);
    this.random = random;
  }

  /** Plans it all for the time between those two. */
  void plan(Instant from, Instant to) {
    calm = to;
    tenants.plan(from, to);
    hosts.plan(from, to);
    hands.plan(from, to);
    templates.plan(from, to);
    poisons.plan(from, to);
    stolenAgent.plan(from, to);
    lines.plan(from, to);
    lyingAgent.plan(from, to);
    optOuts.plan(to);
    lax.plan(from, to);
    owners.plan(to);
    again.plan();
    queues.plan(from, to);
    rails.plan(from, to);
    rare.plan(from, to);
    if (random.nextInt(4) == 0) {
      String node = node();
      stolen.add(node);
      world.orders().watch(this::ordered);
    }
    if (random.nextInt(8) == 0) {
      namesMissingPolicyForGood();
    }
    long window = Duration.between(from, to).toMillis();
    for (int i = random.nextInt(6); i > 0; i--) {
      simulation.at(from.plusMillis(random.nextLong(window)), this::strike);
    }
  }

  /** Whether something that it began continues. */
  boolean unfinished() {
    return rare.unfinished();
  }

  /** How often each was done. */
  Map<Disturbance, Integer> counts() {
    return counts;
  }

  private void did(Disturbance danger, String subject, String text) {
    counts.merge(danger, 1, Integer::sum);
    world.emit(Kind.FAULT, subject, text);
  }

  private void strike() {
    List<JobObject> jobs = world.jobs().list();
    if (jobs.isEmpty()) {
      return;
    }
    JobObject job = jobs.get(random.nextInt(jobs.size()));
    switch (random.nextInt(16)) {
      case 0, 1 -> refuse(near(job));
      case 2 -> blind(near(job));
      case 3 -> fillDisk(near(job));
      case 4 -> loseCalls();
      case 5, 6 -> stepClock(near(job));
      case 7, 8 -> changeMode(job);
      case 9 -> nameMissingPolicy(job);
      case 10, 11 -> forgeRestarts(job.key());
      case 12, 13 -> forgeSteps(job.key());
      case 14 -> forgeKernelLine(near(job));
      default -> deleteNamespace(job.meta().namespace());
    }
  }

  /** A node with a pod of the job, where there is one. */
  private String near(JobObject job) {
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

  // --- agents -------------------------------------------------------------------------------

  private void refuse(String node) {
    int code = REFUSALS.get(random.nextInt(REFUSALS.size()));
    Duration time = untilCalm(60_000);
    did(Disturbance.AGENT_REFUSED, node, "writes of its agent are refused with " + code);
    world.nodeAgents().refused(node, code, time);
  }

  private void blind(String node) {
    did(Disturbance.AGENT_BLIND, node, "its agent sees no changes");
    world.nodeAgents().blind(node, untilCalm(20_000));
  }

  private void fillDisk(String node) {
    did(Disturbance.AGENT_DISK_FULL, node, "its disk is full");
    world.nodeAgents().diskFull(node, untilCalm(30_000));
  }

  private void loseCalls() {
    did(Disturbance.AGENT_CALLS_LOST, "agents", "some of their calls are lost");
    world.nodeAgents().loseCalls(0.2 * random.nextDouble(), 0.2 * random.nextDouble());
  }

  /** By up to a few seconds, as where time servers disagree, or by up to an hour. */
  private void stepClock(String node) {
    int most = random.nextBoolean() ? 5_000 : 3_600_000;
    Duration by = Duration.ofMillis(random.nextInt(-most, most));
    did(Disturbance.AGENT_CLOCK, node, "its clock steps by " + by);
    world.nodeAgents().clockSteps(node, by);
  }

  /** A thief of the token of a node may write reports in its name, about whatever pods. */
  private void ordered(Change<OrderObject> change) {
    OrderObject order = change.after();
    if (order == null || !simulation.now().isBefore(calm)) {
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
    did(Disturbance.AGENT_LIES, node, "says of pods of other nodes what they are not");
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

  // --- tenants ------------------------------------------------------------------------------

  private void changeMode(JobObject job) {
    OptIn next =
        switch (random.nextInt(5)) {
          case 0 -> new OptIn.Yes(Mode.OBSERVE);
          case 1 -> new OptIn.Yes(Mode.APPROVE);
          case 2 -> new OptIn.Unusable("rekindle.dev/recover says 'yes please'");
          default -> new OptIn.Yes(Mode.AUTO);
        };
    did(Disturbance.MODE_CHANGED, job.key().toString(), "its user asks for " + next);
    world.jobs().patch(job.meta().key(), j -> j.with(next));
  }

  /** Put right when the calm comes. */
  private void nameMissingPolicy(JobObject job) {
    did(
        Disturbance.POLICY_MISSING,
        job.key().toString(),
        "its user names a policy that is not there");
    world.jobs().patch(job.meta().key(), j -> j.withPolicy("no-such-policy"));
  }

  /** From its first day on. */
  private void namesMissingPolicyForGood() {
    List<JobObject> jobs = world.jobs().list();
    JobObject job = jobs.get(random.nextInt(jobs.size()));
    nameMissingPolicy(job);
    unnoticed.add(job.meta().uid());
  }

  /** A script that prints the line that requests a restart, over and over. */
  private void forgeRestarts(JobKey job) {
    did(Disturbance.RESTARTS_FORGED, job.toString(), "it prints lines that ask for a restart");
    for (int i = 0; i < 5; i++) {
      Instant then = simulation.now().plusMillis(1 + 2_000L * i);
      if (then.isBefore(calm)) {
        simulation.at(
            then,
            () -> {
              if (world.jobs().find(job.toString()).isPresent()) {
                world.jobFaults().askForRestart(job, random.nextInt(2), null);
              }
            });
      }
    }
  }

  private void forgeSteps(JobKey job) {
    long by = random.nextBoolean() ? 1_000_000 : -random.nextInt(1_000);
    did(Disturbance.STEPS_FORGED, job.toString(), "it prints steps that it has not made");
    world.jobFaults().forgeSteps(job, random.nextInt(2), by);
  }

  private void forgeKernelLine(String node) {
    did(Disturbance.KERNEL_LINES_FORGED, node, "a process writes an XID into its kernel log");
    world.hardware().forgesKernelLine(node);
  }

  /** Everything in it goes, in no order. */
  private void deleteNamespace(String namespace) {
    did(Disturbance.NAMESPACE_DELETED, namespace, "is deleted");
    world.namespaces().terminate(namespace, simulation.now().plusMillis(TERMINATES_WITHIN));
    List<Runnable> deletions = new ArrayList<>();
    world.jobs().list().stream()
        .map(JobObject::meta)
        .filter(m -> m.namespace().equals(namespace))
        .forEach(m -> deletions.add(() -> world.jobs().delete(m.key(), m.uid(), null)));
    world.pods().list().stream()
        .map(PodObject::meta)
        .filter(m -> m.namespace().equals(namespace))
        .forEach(m -> deletions.add(() -> world.pods().delete(m.key(), m.uid(), null)));
    world.recoveries().list().stream()
        .map(r -> r.meta())
        .filter(m -> m.namespace().equals(namespace))
        .forEach(m -> deletions.add(() -> world.recoveries().delete(m.key(), m.uid(), null)));
    world.orders().list().stream()
        .map(OrderObject::meta)
        .filter(m -> m.namespace().equals(namespace))
        .forEach(m -> deletions.add(() -> world.orders().delete(m.key(), m.uid(), null)));
    world.ranks().list().stream()
        .map(r -> r.meta())
        .filter(m -> m.namespace().equals(namespace))
        .forEach(m -> deletions.add(() -> world.ranks().delete(m.key(), m.uid(), null)));
    for (Runnable deletion : deletions) {
      simulation.at(
          simulation.now().plusMillis(random.nextInt(TERMINATES_WITHIN)),
          () -> {
            try {
              deletion.run();
            } catch (ApiError gone) {
              // With its owner, by then.
            }
          });
    }
  }

  // --- the calm -----------------------------------------------------------------------------

  /** What people can put right is. */
  void calm() {
    tenants.calm();
    hosts.calm();
    templates.calm();
    stolenAgent.calm();
    lyingAgent.calm();
    queues.calm();
    rails.calm();
    stolen.clear();
    world.nodeAgents().calm();
    for (JobObject job : world.jobs().list()) {
      if (!job.policy().equals("default")
          && !unnoticed.contains(job.meta().uid())
          && !lax.isKept(job)) {
        world.emit(Kind.FAULT, job.key().toString(), "its user names the policy that is there");
        world.jobs().patch(job.meta().key(), j -> j.withPolicy("default"));
      }
      world.jobFaults().forgeSteps(job.key(), 0, 0);
      world.jobFaults().forgeSteps(job.key(), 1, 0);
    }
  }
}
