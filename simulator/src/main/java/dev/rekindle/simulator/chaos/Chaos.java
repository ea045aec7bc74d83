package dev.rekindle.simulator.chaos;

import static java.time.Duration.ofMillis;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.simulator.FaultInjector;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.engine.Loop;
import dev.rekindle.simulator.process.NetworkFaults;
import dev.rekindle.simulator.setup.Setup;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.SimEvent.Kind;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * The faults of a run, drawn from its seed: hardware, processes, network, API server, controller,
 * operator, scheduler and people, alone and in bursts. A calm follows without new faults, in which
 * everything broken is repaired.
 */
final class Chaos {
  /** Training is to be under way first. */
  private static final Duration QUIET = Duration.ofSeconds(15);

  /** The other faults of a seed do not depend on these draws. */
  private static final long FENCED = 0x46454e434544L;

  private static final long RECORDS = 0x5245434F5244L;
  private static final long CROWD = 0x43524F5744L;

  private static final long APPROVALS = 0x617070726FL;
  private static final long WORN = 0x776F726EL;
  private static final long LEMONS = 0x6C656D6F6EL;

  private final Simulation simulation;
  private final World world;
  private final FaultInjector levers;
  private final Setup setup;
  private final RandomGenerator random;
  private final Invariants invariants;
  private final Refusals refusals;
  private final Disturbances mischief;
  private final RandomGenerator approvals;
  private final Targets targets;
  private final NodeFaults nodes;
  private final ControlPlaneFaults controlPlane;
  private final UserActions people;
  private final FaultsAfterWrites afterWrites;
  private final Map<FaultArea, Integer> hits = new EnumMap<>(FaultArea.class);
  private Instant calmFrom = Instant.MAX;

  Chaos(Simulation simulation, Setup setup, RandomGenerator random, Invariants invariants) {
    this.simulation = simulation;
    this.world = simulation.world();
    this.levers = simulation.levers();
    this.setup = setup;
    this.random = random;
    this.invariants = invariants;
    this.refusals = new Refusals(simulation.fleet().answers(), random);
    this.approvals = new SplittableRandom(setup.seed() ^ APPROVALS);
    this.targets = new Targets(world, setup.jobs().getFirst(), random);
    this.nodes = new NodeFaults(simulation, random);
    this.controlPlane = new ControlPlaneFaults(simulation, random);
    this.people = new UserActions(simulation, targets, nodes, random, approvals);
    this.afterWrites =
        new FaultsAfterWrites(simulation, targets, nodes, controlPlane, people, random, this::hit);
    this.mischief =
        new Disturbances(
            simulation, setup.policy(), salt -> new SplittableRandom(setup.seed() ^ salt));
  }

  /** Faults that have been done so far, by what they hit. */
  Map<FaultArea, Integer> hits() {
    return hits;
  }

  /** How often each danger came that nothing broken is behind. */
  Map<Disturbance, Integer> dangers() {
    return mischief.counts();
  }

  /**
   * Plans it all.
   *
   * @return when the calm begins
   */
  Instant plan() {
    Instant calm = Loop.T0.plus(QUIET).plusSeconds(20 + random.nextInt(60));
    calmFrom = calm;
    controlPlane.plan();
    if (random.nextInt(3) == 0) {
      world.nodeOutages().frozenHeedNoSignal();
    }
    afterWrites.plan(calm);
    mischief.plan(Loop.T0.plus(QUIET), calm);
    history();
    int count = 3 + random.nextInt(12);
    for (int i = 0; i < count; i++) {
      Instant when = moment(calm);
      simulation.at(when, this::strike);
      if (random.nextInt(4) == 0) {
        Instant soon = when.plusMillis(random.nextInt(3_000));
        simulation.at(soon.isBefore(calm) ? soon : when, this::strike);
      }
    }
    if (random.nextInt(4) > 0) {
      simulation.at(moment(calm), () -> people.repairs(calm));
    }
    simulation.at(calm, this::calm);
    Instant looks = random.nextBoolean() ? moment(calm) : calm;
    if (approvals.nextInt(4) == 0) {
      simulation.at(calm.plusMillis(1), people::approveLate);
    } else {
      simulation.at(looks, people::approve);
    }
    return calm;
  }

  /** What agents wrote before the run began. */
  private void history() {
    List<NodeObject> all = world.nodes().list();
    if (random.nextInt(3) == 0 && all.size() > 2) {
      int first = random.nextInt(all.size());
      world
          .pastFaults()
          .programHistory(name(all, first), name(all, first + 1), name(all, first + 2));
    }
    if (random.nextInt(3) == 0) {
      world.pastFaults().flakyHistory(targets.node());
    }
    for (int i = random.nextInt(3); i > 0; i--) {
      world.nodeConditions().incidentsLongAgo(targets.node());
    }
    wornHistory(all);
    crowdHistory(all);
    if (new SplittableRandom(setup.seed() ^ RECORDS).nextInt(16) == 0) {
      OldRecords.of(world, world.jobs().list().getFirst(), simulation.now());
    }
    fencedBefore(all);
    RandomGenerator lemons = new SplittableRandom(setup.seed() ^ LEMONS);
    // Where it matters, more of them: few of those that are in trouble again are released in time.
    for (int i = setup.policy().fenceLemons() ? lemons.nextInt(4) : 0; i > 0; i--) {
      world.nodeConditions().incidentsLongAgo(name(all, lemons.nextInt(all.size())));
    }
  }

  /** What fences only beside what was before; the burst is over while the run continues, or was. */
  private void wornHistory(List<NodeObject> all) {
    RandomGenerator worn = new SplittableRandom(setup.seed() ^ WORN);
    if (worn.nextInt(8) == 0) {
      String node = name(all, worn.nextInt(all.size()));
      Duration ago = Duration.ofSeconds(90 + worn.nextInt(120));
      if (worn.nextBoolean()) {
        world.pastFaults().wornUnit(node, ago, "job-1", "job-2");
      } else {
        world.pastFaults().wornMemory(node, ago);
      }
    }
  }

  /** An older release, or a deleted ConfigMap, left a fence without its slot. */
  private void fencedBefore(List<NodeObject> all) {
    RandomGenerator fenced = new SplittableRandom(setup.seed() ^ FENCED);
    if (fenced.nextInt(16) == 0 && all.size() > 3) {
      world.pastFaults().fencedBefore(name(all, fenced.nextInt(all.size())));
    }
  }

  /** Programs of one namespace have crashed on several nodes, two of them in a unit of each. */
  private void crowdHistory(List<NodeObject> all) {
    RandomGenerator crowd = new SplittableRandom(setup.seed() ^ CROWD);
    if (crowd.nextInt(12) == 0) {
      int first = crowd.nextInt(all.size());
      for (int i = 0; i < Math.min(4, all.size()); i++) {
        world
            .pastFaults()
            .wornUnit(
                name(all, first + i),
                Duration.ofSeconds(60 + crowd.nextInt(60)),
                "crowd-" + 2 * i,
                "crowd-" + (2 * i + 1));
      }
    }
  }

  private static String name(List<NodeObject> nodes, int number) {
    return nodes.get(number % nodes.size()).meta().name();
  }

  private Instant moment(Instant calm) {
    long window = Duration.between(Loop.T0.plus(QUIET), calm).toMillis();
    return Loop.T0.plus(QUIET).plusMillis(random.nextLong(window));
  }

  private void strike() {
    switch (random.nextInt(58)) {
      case 0, 1, 2, 3 -> hit(FaultArea.GPU, () -> levers.gpuLost(targets.node()));
      case 4, 5 -> hit(FaultArea.GPU, () -> levers.eccError(targets.node()));
      case 6 -> hit(FaultArea.NIC, () -> levers.nicDown(targets.node()));
      case 7 -> hit(FaultArea.NIC, () -> levers.leafDown(leafOf(targets.node())));
      case 8, 9 -> hit(FaultArea.POWER, () -> levers.nodeDies(targets.node()));
      case 10, 11 ->
          hit(FaultArea.MACHINE, () -> nodes.forAWhile(targets.node(), levers::nodeHangs));
      case 12 -> hit(FaultArea.NODE_NETWORK, () -> nodes.forAWhile(targets.node(), levers::cutOff));
      case 13 -> hit(FaultArea.RANK, () -> levers.rankHangs(targets.job(), random.nextInt(2)));
      case 14 -> hit(FaultArea.RANK, () -> levers.deviceStalls(targets.job(), random.nextInt(2)));
      case 15, 16 -> hit(FaultArea.RANK, this::killRank);
      case 17 -> hit(FaultArea.RANK, this::failStarts);
      case 18 -> hit(FaultArea.CHECKPOINT, this::tear);
      case 19, 20, 21 -> hit(FaultArea.LEADER, levers::controllerDies);
      case 22 -> hit(FaultArea.LEADER, simulation.fleet()::killAll);
      case 23 ->
          hit(
              FaultArea.LEADER,
              () -> simulation.fleet().pauseLeader(ofMillis(500 + random.nextInt(40_000))));
      case 24 -> hit(FaultArea.WATCH, controlPlane::breakWatches);
      case 25 -> hit(FaultArea.API_AWAY, () -> controlPlane.apiDownUntil(soon(40_000)));
      case 26 ->
          hit(FaultArea.OPERATOR, () -> world.controlPlane().operatorAwayUntil(soon(30_000)));
      case 27 ->
          hit(FaultArea.SCHEDULER, () -> world.controlPlane().schedulerAwayUntil(soon(30_000)));
      case 28 -> hit(FaultArea.PROGRAM, () -> world.hardware().applicationXid(targets.node()));
      case 29 ->
          hit(
              FaultArea.AGENT,
              () -> levers.agentDies(targets.node(), ofMillis(500 + random.nextInt(40_000))));
      case 30 ->
          hit(
              FaultArea.AGENT,
              () -> levers.agentSlow(targets.node(), ofMillis(random.nextInt(40_000))));
      case 31 ->
          hit(
              FaultArea.AGENT,
              () -> levers.agentCannotFreeze(targets.node(), ofMillis(random.nextInt(40_000))));
      case 32, 33, 34 -> hit(FaultArea.GPU, () -> levers.rowRemapFails(targets.node()));
      case 35, 36 -> hit(FaultArea.RANK_ASKS, () -> asks(targets.job()));
      case 37, 44, 45 -> hit(FaultArea.GPU, () -> levers.flaky(targets.flakyNode()));
      case 38 -> hit(FaultArea.PROGRAM, () -> levers.programFails(targets.job()));
      case 39, 40, 41 ->
          hit(
              FaultArea.POWER,
              () -> nodes.reboot(targets.faultyNode(), ofMillis(1_000 + random.nextInt(40_000))));
      case 42 -> hit(FaultArea.DRIVER, () -> levers.driverClears(targets.faultyNode()));
      case 43 -> hit(FaultArea.GPU, () -> levers.gpuDies(targets.node()));
      case 47, 48, 49 -> hit(FaultArea.API_ANSWER, this::refuseForAWhile);
      case 50 -> hit(FaultArea.API_ANSWER, () -> refused(refusals.forGood(targets.job())));
      case 51 -> hit(FaultArea.NODE_NETWORK, () -> nodes.partition(targets.job()));
      case 52 -> hit(FaultArea.WATCH, controlPlane::oldNodes);
      case 53, 54 -> hit(FaultArea.PEOPLE, () -> people.resubmit(targets.job()));
      case 55, 56, 57 -> hit(FaultArea.NODE_CONDITION, () -> nodes.condition(targets.node()));
      default -> hit(FaultArea.PEOPLE, people::act);
    }
  }

  private void hit(FaultArea area, Runnable fault) {
    hits.merge(area, 1, Integer::sum);
    fault.run();
  }

  private Instant soon(int mostMillis) {
    return simulation.now().plusMillis(random.nextInt(mostMillis));
  }

  private String leafOf(String node) {
    return world.nodes().get(node).setup().leaf();
  }

  private void killRank() {
    levers.rankDies(targets.job(), random.nextInt(2), random.nextBoolean() ? 137 : 1);
  }

  private void failStarts() {
    levers.rankDiesAtStart(targets.job(), random.nextInt(2), 1 + random.nextInt(3));
  }

  private void refuseForAWhile() {
    Instant until = soon(60_000);
    refused(refusals.forAWhile(until.isBefore(calmFrom) ? until : calmFrom));
  }

  private void refused(String what) {
    world.emit(Kind.FAULT, "API server", what);
  }

  private void asks(JobKey job) {
    if (random.nextBoolean()) {
      levers.restartAsked(job, random.nextInt(2));
    } else {
      levers.rollBackAsked(job, random.nextInt(2), random.nextInt(200));
      // Whether it stays where it went back to is seen by its next recovery.
      Instant later = simulation.now().plusMillis(15_000 + random.nextInt(30_000));
      if (later.isBefore(calmFrom)) {
        simulation.at(later, () -> levers.gpuLost(targets.nodeOf(job)));
      }
    }
  }

  private void tear() {
    JobKey job = targets.job();
    invariants.torn(job);
    levers.tearNewestCheckpoint(job);
    if (random.nextBoolean()) {
      levers.rankDies(job, 0, 137);
    }
  }

  private void calm() {
    simulation.fleet().weather(NetworkFaults.CALM);
    simulation.fleet().answers().calm();
    mischief.calm();
    controlPlane.apiDownUntil(simulation.now());
    world.controlPlane().operatorAwayUntil(simulation.now());
    world.controlPlane().schedulerAwayUntil(simulation.now());
    people.repairAll();
    for (JobObject job : world.jobs().list()) {
      levers.rankDiesAtStart(job.key(), 0, 0);
      levers.rankDiesAtStart(job.key(), 1, 0);
    }
  }

  /** Whether all agents are away, as an upgrade of theirs fails. */
  boolean agentsAreAway() {
    return mischief.agentsAreAway();
  }

  /** Whether a person will still act. */
  boolean unfinished() {
    return people.unfinished() || mischief.unfinished();
  }
}
