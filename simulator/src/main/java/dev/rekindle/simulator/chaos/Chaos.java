package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.simulator.FaultInjector;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.engine.Loop;
import dev.rekindle.simulator.process.Informed;
import dev.rekindle.simulator.process.NetworkFaults;
import dev.rekindle.simulator.setup.JobSetup;
import dev.rekindle.simulator.setup.Setup;
import dev.rekindle.simulator.world.FaultObject;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What befalls a run, from its seed: hardware, processes, network, API server, controller,
 * operator, scheduler and people, alone and in bursts; and then a calm in which nothing new goes
 * wrong and everything that was broken is put right.
 */
final class Chaos {
  /** Training is to be under way first. */
  private static final Duration QUIET = Duration.ofSeconds(15);

  /** Of node-problem-detector: two that fence, one that is only watched. */
  private static final List<String> CONDITIONS =
      List.of("KernelDeadlock", "ReadonlyFilesystem", "XIDErrors");

  private static final Set<String> REBOOT_MENDS = Set.of("XID-79", "XID-95");

  /** What else befalls a seed stays what it is, whatever is drawn there. */
  private static final long MISCHIEF = 0x5DEECE66DL;

  private static final long BY_HAND = 0x68616E6473L;
  private static final long TEMPLATES = 0x74656D706CL;

  private static final long APPROVALS = 0x617070726FL;
  private static final long LEMONS = 0x6C656D6F6EL;

  private final Simulation simulation;
  private final World world;
  private final FaultInjector levers;
  private final Setup setup;
  private final RandomGenerator random;
  private final Invariants invariants;
  private final Refusals refusals;
  private final Mischief mischief;
  private final RandomGenerator approvals;
  private int faults;
  private int late;
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
    this.mischief =
        new Mischief(
            simulation,
            new SplittableRandom(setup.seed() ^ MISCHIEF),
            setup.policy(),
            new SplittableRandom(setup.seed() ^ BY_HAND),
            new SplittableRandom(setup.seed() ^ TEMPLATES));
  }

  /** Faults that have been done so far. */
  int faults() {
    return faults + mischief.counts().values().stream().mapToInt(Integer::intValue).sum();
  }

  /** How often each danger came that nothing broken is behind. */
  Map<Danger, Integer> dangers() {
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
    if (random.nextInt(3) > 0) {
      double rough = 0.002 + 0.04 * random.nextDouble();
      simulation
          .fleet()
          .weather(
              new NetworkFaults(
                  rough * random.nextDouble(),
                  rough * random.nextDouble(),
                  rough * random.nextDouble() / 2,
                  rough * random.nextDouble(),
                  rough * random.nextDouble(),
                  rough * random.nextDouble() / 2));
    }
    if (random.nextInt(3) == 0) {
      simulation.fleet().skew(Duration.ofMillis(random.nextInt(2_000)));
    }
    if (random.nextInt(3) == 0) {
      world.freezesDeaf();
    }
    if (random.nextBoolean()) {
      world.restarts().watch(change -> ambush(change.object().view().job()));
      world.orders().watch(change -> ambush(change.object().job()));
      world.recoveries().watch(this::moved);
      world.jobs().watch(this::suspended);
    }
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
      simulation.at(moment(calm), () -> repairs(calm));
    }
    simulation.at(calm, this::calm);
    Instant looks = random.nextBoolean() ? moment(calm) : calm;
    if (approvals.nextInt(4) == 0) {
      simulation.at(calm.plusMillis(1), this::approveLate);
    } else {
      simulation.at(looks, this::approve);
    }
    return calm;
  }

  /** What agents wrote down before the time that is told. */
  private void history() {
    List<NodeObject> nodes = world.nodes().list();
    if (random.nextInt(3) == 0 && nodes.size() > 2) {
      int first = random.nextInt(nodes.size());
      world
          .hardware()
          .programHistory(name(nodes, first), name(nodes, first + 1), name(nodes, first + 2));
    }
    if (random.nextInt(3) == 0) {
      world.hardware().flakyHistory(node());
    }
    for (int i = random.nextInt(3); i > 0; i--) {
      world.troubledHistory(node());
    }
    RandomGenerator lemons = new SplittableRandom(setup.seed() ^ LEMONS);
    // Where it matters, more of them: few of those that are in trouble again are released in time.
    for (int i = setup.policy().fenceLemons() ? lemons.nextInt(4) : 0; i > 0; i--) {
      world.troubledHistory(name(nodes, lemons.nextInt(nodes.size())));
    }
  }

  private static String name(List<NodeObject> nodes, int number) {
    return nodes.get(number % nodes.size()).meta().name();
  }

  /** People who put nodes right, one after another. */
  private void repairs(Instant calm) {
    for (NodeObject node : world.nodes().list()) {
      if (!world.machine(node.meta().name()).fit() || faulty(node.meta().name())) {
        levers.repaired(node.meta().name());
        break;
      }
    }
    Instant again = simulation.now().plusMillis(2_000 + random.nextInt(15_000));
    if (again.isBefore(calm)) {
      simulation.at(again, () -> repairs(calm));
    }
  }

  private Instant moment(Instant calm) {
    long window = Duration.between(Loop.T0.plus(QUIET), calm).toMillis();
    return Loop.T0.plus(QUIET).plusMillis(random.nextLong(window));
  }

  private void strike() {
    faults++;
    switch (random.nextInt(58)) {
      case 0, 1, 2, 3 -> levers.gpuLost(node());
      case 4, 5 -> levers.eccError(node());
      case 6 -> levers.nicDown(node());
      case 7 -> levers.leafDown(world.nodes().get(node()).setup().leaf());
      case 8, 9 -> levers.nodeDies(node());
      case 10, 11 -> forAWhile(node(), levers::nodeHangs);
      case 12 -> forAWhile(node(), levers::cutOff);
      case 13, 14 -> levers.rankHangs(job(), random.nextInt(2));
      case 15, 16 -> levers.rankDies(job(), random.nextInt(2), random.nextBoolean() ? 137 : 1);
      case 17 -> levers.rankDiesAtStart(job(), random.nextInt(2), 1 + random.nextInt(3));
      case 18 -> tear();
      case 19, 20, 21 -> levers.controllerDies();
      case 22 -> simulation.fleet().killAll();
      case 23 -> simulation.fleet().pauseLeader(Duration.ofMillis(500 + random.nextInt(40_000)));
      case 24 ->
          simulation
              .fleet()
              .breakWatches(
                  Duration.ofMillis(random.nextInt(20_000)),
                  Duration.ofMillis(random.nextInt(10_000)));
      case 25 -> apiDownUntil(simulation.now().plusMillis(random.nextInt(40_000)));
      case 26 -> world.operatorAwayUntil(simulation.now().plusMillis(random.nextInt(30_000)));
      case 27 -> world.schedulerAwayUntil(simulation.now().plusMillis(random.nextInt(30_000)));
      case 28 -> world.hardware().applicationXid(node());
      case 29 -> levers.agentDies(node(), Duration.ofMillis(500 + random.nextInt(40_000)));
      case 30 -> levers.agentSlow(node(), Duration.ofMillis(random.nextInt(40_000)));
      case 31 -> levers.agentCannotFreeze(node(), Duration.ofMillis(random.nextInt(40_000)));
      case 32, 33, 34 -> levers.rowRemapFails(node());
      case 35, 36 -> asks(job());
      case 37, 44, 45 -> flaky();
      case 38 -> levers.programFails(job());
      case 39, 40, 41 -> reboot(bad(), Duration.ofMillis(1_000 + random.nextInt(40_000)));
      case 42 -> levers.driverClears(bad());
      case 43 -> levers.gpuDies(node());
      case 47, 48, 49 -> {
        Instant until = simulation.now().plusMillis(random.nextInt(60_000));
        refusals.forAWhile(until.isBefore(calmFrom) ? until : calmFrom);
      }
      case 50 -> refusals.forGood(job());
      case 51 -> partition(job());
      case 52 -> oldNodes();
      case 53, 54 -> again(job());
      case 55, 56, 57 -> condition(node());
      default -> people();
    }
  }

  /** All nodes of a gang lose the API server together; the controller keeps it. */
  private void partition(JobKey job) {
    Instant back = simulation.now().plusMillis(10_000 + random.nextInt(80_000));
    for (PodObject pod : world.podsOf(job)) {
      if (!pod.node().isEmpty()) {
        levers.cutOff(pod.node());
        simulation.at(back, () -> levers.nodeReturns(pod.node()));
      }
    }
  }

  /** A process that leads soon knows the nodes as they were. */
  private void oldNodes() {
    simulation
        .fleet()
        .breakWatch(
            Informed.NODES,
            Duration.ofMillis(random.nextInt(60_000)),
            Duration.ofMillis(random.nextInt(10_000)));
    simulation.at(simulation.now().plusMillis(random.nextInt(5_000)), levers::controllerDies);
  }

  /** Between what a phase begins with, or ends with, and what follows. */
  private void moved(Change<RecoveryObject> change) {
    RecoveryObject before = change.before();
    RecoveryObject after = change.after();
    if (before == null || after == null) {
      return;
    }
    RecoveryPhase phase = phase(after);
    if (phase == null || phase == phase(before) || !simulation.now().isBefore(calmFrom)) {
      return;
    }
    if (phase == RecoveryPhase.DRAINING) {
      ambush(after.view().job());
    } else if (phase.isTerminal() && random.nextInt(8) == 0) {
      faults++;
      simulation.at(simulation.now().plusMillis(random.nextInt(60)), levers::controllerDies);
    }
  }

  private static @Nullable RecoveryPhase phase(RecoveryObject recovery) {
    RecoveryStatus status = recovery.status();
    return status == null ? null : status.phase();
  }

  /** Right after a suspension the list of pods that the controller goes by is an old one. */
  private void suspended(Change<JobObject> change) {
    JobObject before = change.before();
    JobObject after = change.after();
    if (before != null
        && after != null
        && !before.suspend()
        && after.suspend()
        && simulation.now().isBefore(calmFrom)
        && random.nextInt(6) == 0) {
      faults++;
      simulation
          .fleet()
          .breakWatch(
              Informed.PODS,
              Duration.ofMillis(random.nextInt(10_000)),
              Duration.ofMillis(random.nextInt(5_000)));
    }
  }

  /** What looks after nodes sees something, and in most cases that it is over. */
  private void condition(String node) {
    String type = CONDITIONS.get(random.nextInt(CONDITIONS.size()));
    levers.condition(node, type, "True", "Seen");
    if (random.nextInt(4) > 0) {
      simulation.at(
          simulation.now().plusMillis(random.nextInt(120_000)),
          () -> levers.condition(node, type, "False", "Over"));
    }
  }

  private void reboot(String node, Duration time) {
    if (random.nextInt(3) == 0) {
      levers.rebootQuietly(node, time);
    } else {
      levers.reboot(node, time);
    }
  }

  private void asks(JobKey job) {
    if (random.nextBoolean()) {
      levers.restartAsked(job, random.nextInt(2));
    } else {
      levers.rollBackAsked(job, random.nextInt(2), random.nextInt(200));
      // Whether it stays where it went back to is seen by its next recovery.
      Instant later = simulation.now().plusMillis(15_000 + random.nextInt(30_000));
      if (later.isBefore(calmFrom)) {
        simulation.at(later, () -> levers.gpuLost(nodeOf(job)));
      }
    }
  }

  /** A GPU that is flaky already, rather than another one. */
  private void flaky() {
    for (NodeObject node : world.nodes().list()) {
      if (world.machine(node.meta().name()).flaky()) {
        levers.flaky(node.meta().name());
        return;
      }
    }
    levers.flaky(node());
  }

  /** A node with a fault, rather than another one. */
  private String bad() {
    List<FaultObject> all = world.faults().list();
    return all.isEmpty() || random.nextInt(4) == 0
        ? node()
        : all.get(random.nextInt(all.size())).view().node();
  }

  /** Right after something was ordered or reported, when much is under way. */
  private void ambush(JobKey job) {
    if (simulation.now().isBefore(calmFrom) && random.nextInt(8) == 0) {
      Instant soon = simulation.now().plusMillis(random.nextInt(1_500));
      simulation.at(soon.isBefore(calmFrom) ? soon : simulation.now(), () -> spring(job));
    }
  }

  private void spring(JobKey job) {
    faults++;
    String node = nodeOf(job);
    switch (random.nextInt(16)) {
      case 0, 1, 2 -> levers.agentDies(node, Duration.ofMillis(500 + random.nextInt(40_000)));
      case 3 -> levers.agentSlow(node, Duration.ofMillis(random.nextInt(40_000)));
      case 4 -> levers.agentCannotFreeze(node, Duration.ofMillis(random.nextInt(40_000)));
      case 5 -> forAWhile(node, levers::nodeHangs);
      case 6 -> forAWhile(node, levers::cutOff);
      case 7 -> levers.nodeDies(node);
      case 8, 9, 10 -> levers.controllerDies();
      case 11 -> there(job, j -> levers.rankDies(j, random.nextInt(2), 137));
      case 12 -> levers.gpuLost(node);
      case 13 -> apiDownUntil(simulation.now().plusMillis(random.nextInt(120_000)));
      case 14 -> simulation.fleet().pauseLeader(Duration.ofMillis(500 + random.nextInt(150_000)));
      default -> people();
    }
  }

  private String nodeOf(JobKey job) {
    List<String> nodes =
        world.podsOf(job).stream().map(PodObject::node).filter(n -> !n.isEmpty()).toList();
    return nodes.isEmpty() ? node() : nodes.get(random.nextInt(nodes.size()));
  }

  private void apiDownUntil(Instant back) {
    simulation.fleet().apiDownUntil(back);
    world.apiAwayUntil(back);
  }

  private void people() {
    JobKey job = job();
    switch (random.nextInt(9)) {
      case 0 -> levers.suspend(job);
      case 1 -> {
        levers.suspend(job);
        simulation.at(
            simulation.now().plusMillis(random.nextInt(20_000)), () -> there(job, levers::resume));
      }
      case 2 -> levers.resume(job);
      case 3 -> levers.deleteJob(job);
      case 4 -> again(job);
      case 5 -> levers.optOut(job);
      case 6 -> levers.deleteRecoveries(job);
      case 7 -> levers.cordon(node());
      default -> levers.repaired(node());
    }
  }

  /** Deleted, and submitted again under its name. */
  private void again(JobKey job) {
    JobSetup again = world.jobs().get(job.toString()).setup();
    levers.deleteJob(job);
    simulation.at(simulation.now().plusMillis(random.nextInt(3_000)), () -> submit(again));
  }

  private void submit(JobSetup job) {
    if (world.jobs().find(job.key().toString()).isEmpty()) {
      world.submit(job);
    }
  }

  private void there(JobKey job, Consumer<JobKey> lever) {
    if (world.jobs().find(job.toString()).isPresent()) {
      lever.accept(job);
    }
  }

  private void tear() {
    JobKey job = job();
    invariants.torn(job);
    levers.tearNewestCheckpoint(job);
    if (random.nextBoolean()) {
      levers.rankDies(job, 0, 137);
    }
  }

  private void forAWhile(String node, Consumer<String> lever) {
    lever.accept(node);
    if (random.nextBoolean()) {
      simulation.at(
          simulation.now().plusMillis(random.nextInt(90_000)), () -> levers.nodeReturns(node));
    }
  }

  private String node() {
    List<NodeObject> nodes = world.nodes().list();
    return nodes.get(random.nextInt(nodes.size())).meta().name();
  }

  private JobKey job() {
    List<JobObject> jobs = world.jobs().list();
    if (jobs.isEmpty()) {
      submit(setup.jobs().getFirst());
      return setup.jobs().getFirst().key();
    }
    return jobs.get(random.nextInt(jobs.size())).key();
  }

  private void calm() {
    simulation.fleet().weather(NetworkFaults.CALM);
    simulation.fleet().answers().calm();
    mischief.calm();
    apiDownUntil(simulation.now());
    world.operatorAwayUntil(simulation.now());
    world.schedulerAwayUntil(simulation.now());
    for (NodeObject node : world.nodes().list()) {
      String name = node.meta().name();
      world.conditionsEnd(name);
      if (mendedByReboot(name) && random.nextBoolean()) {
        reboot(name, Duration.ofSeconds(1 + random.nextInt(60)));
      } else if (faulty(name) && random.nextInt(8) == 0) {
        repairLate(name);
      } else if (!world.machine(name).fit() || faulty(name)) {
        levers.repaired(name);
      }
      if (node.unschedulable() && node.fencedBy().isEmpty()) {
        levers.uncordon(name);
      }
      if (!node.troubles().isEmpty() && random.nextInt(3) == 0) {
        levers.forgiven(name);
      }
    }
    for (JobObject job : world.jobs().list()) {
      levers.rankDiesAtStart(job.key(), 0, 0);
      levers.rankDiesAtStart(job.key(), 1, 0);
    }
  }

  /**
   * Nobody has time for it, or has but rebooted it in vain: a fault that is silent for long stands
   * all the same.
   */
  private void repairLate(String node) {
    late++;
    if (random.nextBoolean()) {
      reboot(node, Duration.ofSeconds(1 + random.nextInt(20)));
    }
    simulation.at(
        simulation.now().plusSeconds(100 + random.nextInt(60)),
        () -> {
          late--;
          levers.repaired(node);
        });
  }

  /** Whether somebody is still to come. */
  boolean unfinished() {
    return late > 0;
  }

  /** Whether all that is wrong with the node is what a reboot mends, and agents have said it. */
  private boolean mendedByReboot(String node) {
    boolean any = false;
    for (FaultObject fault : world.faults().all()) {
      if (fault.view().node().equals(node)) {
        any = true;
        if (!REBOOT_MENDS.contains(fault.view().code())) {
          return false;
        }
      }
    }
    return any && world.machine(node).mendable();
  }

  private boolean faulty(String node) {
    for (FaultObject fault : world.faults().all()) {
      if (fault.view().node().equals(node)) {
        return true;
      }
    }
    return false;
  }

  /** Whoever approves has been away: what was held may be over by now. */
  private void approveLate() {
    boolean waited =
        world.recoveries().list().stream()
            .anyMatch(r -> r.open() && !Boolean.TRUE.equals(r.spec().approved()) && approvable(r));
    late++;
    simulation.at(
        simulation.now().plusSeconds(waited ? 70 + approvals.nextInt(120) : 0),
        () -> {
          late--;
          approve();
        });
  }

  /** Somebody looks after what waits for approval, again and again. */
  private void approve() {
    for (RecoveryObject recovery : world.recoveries().list()) {
      if (recovery.open()
          && !Boolean.TRUE.equals(recovery.spec().approved())
          && approvable(recovery)) {
        world.recoveries().patch(recovery.meta().key(), RecoveryObject::approved);
      }
    }
    for (FaultObject fault : world.faults().list()) {
      if (random.nextInt(4) == 0 && world.nodes().find(fault.view().node()).isPresent()) {
        world.nodes().patch(fault.view().node(), n -> n.withApproved(fault.meta().name()));
      }
    }
    simulation.at(simulation.now().plusSeconds(20), this::approve);
  }

  private boolean approvable(RecoveryObject recovery) {
    return world
        .jobs()
        .find(recovery.view().job().toString())
        .filter(job -> job.optIn() instanceof OptIn.Yes)
        .isPresent();
  }
}
