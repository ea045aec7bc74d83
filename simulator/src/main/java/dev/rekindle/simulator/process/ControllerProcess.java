package dev.rekindle.simulator.process;

import dev.rekindle.controller.cache.FlatState;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.port.Changes;
import dev.rekindle.controller.runtime.Backoff;
import dev.rekindle.controller.runtime.LeaseTerm;
import dev.rekindle.controller.runtime.ParallelExecutor;
import dev.rekindle.controller.runtime.Silence;
import dev.rekindle.detect.SteadyClock;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.engine.Loop;
import dev.rekindle.simulator.setup.Timing;
import dev.rekindle.simulator.world.DraDrivers;
import dev.rekindle.simulator.world.FaultObject;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.LeaseObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.PolicyObject;
import dev.rekindle.simulator.world.PoolObject;
import dev.rekindle.simulator.world.QueueObject;
import dev.rekindle.simulator.world.RankObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.RestartObject;
import dev.rekindle.simulator.world.SimEvent.Kind;
import dev.rekindle.simulator.world.SliceObject;
import dev.rekindle.simulator.world.SpareObject;
import dev.rekindle.simulator.world.Spiderpool;
import dev.rekindle.simulator.world.TaintRuleObject;
import dev.rekindle.simulator.world.WorkloadObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * One run of the controller's process: watches from the start, stands for leader, works once it
 * leads and has seen everything, and remembers nothing when it dies.
 */
final class ControllerProcess {
  private static final String LEASE = "rekindle-system/rekindle-controller";
  private static final int JOB_WORKERS = 8;
  private static final int NODE_WORKERS = 8;
  private static final Duration FIRST_LIST = Duration.ofMillis(80);

  private final Fleet fleet;
  private final World world;
  private final Loop loop;
  private final Timing timing;
  private final RandomGenerator random;
  private final String identity;
  private final WallClock clock;
  private final Silence silence;
  private final LeaseTerm term;
  private final Caller caller;
  private final List<Informer<?, ?>> informers;
  private final List<Informer<?, ?>> optional;
  private final Workers<JobKey> jobs;
  private final Workers<String> nodes;
  private final FlatState state;
  private Runnable companion = () -> {};
  private boolean alive = true;
  private boolean leading;
  private boolean taken;
  private Instant renewed;
  private long pausedUntil;

  ControllerProcess(Fleet fleet, String identity, Duration skew) {
    this.fleet = fleet;
    this.world = fleet.world();
    this.loop = fleet.loop();
    this.timing = fleet.timing();
    this.random = fleet.random();
    this.identity = identity;
    this.clock = new WallClock(loop, skew);
    this.silence = new Silence(clock.steady());
    this.term = new LeaseTerm(clock.steady(), timing.leaseDuration());
    this.caller = new Caller(loop, timing, random, fleet.climate(), this::isDeposed);
    this.state = new FlatState(changes());
    SimGateway gateway =
        new SimGateway(world, caller, state, fleet.deeds(), clock, fleet.answers(), loop);
    Reconcilers reconcilers = fleet.factory().make(state, gateway, clock, this::sideBySide);
    SteadyClock steady = clock.steady();
    Backoff backoff = new Backoff(Duration.ofMillis(200), Duration.ofSeconds(30), random);
    jobs =
        new Workers<>(
            loop, this::notBefore, steady, backoff, reconcilers.jobs(), JOB_WORKERS, fleet::failed);
    nodes =
        new Workers<>(
            loop,
            this::notBefore,
            steady,
            backoff,
            reconcilers.nodes(),
            NODE_WORKERS,
            fleet::failed);
    informers = new ArrayList<>(informers(state));
    if (world.devices().drivers().isInstalled()) {
      informers.addAll(ofDrivers(state));
    }
    informers.forEach(informer -> informer.connect(world.jitter(FIRST_LIST), Duration.ZERO));
    optional = new ArrayList<>(world.queueing().isInstalled() ? ofKueue(state) : List.of());
    if (world.spiderpool().isInstalled()) {
      optional.add(spiderpool(state));
    }
    if (world.sparesRequested()) {
      optional.add(spares(state));
    }
    optional.forEach(informer -> informer.connect(FIRST_LIST, Duration.ZERO));
    renewed = clock.instant();
    loop.after(timing.call(), this::standForElection);
  }

  /** What goes out side by side arrives in any order, and its sender may die in between. */
  private void sideBySide(List<Runnable> actions) {
    List<Runnable> shuffled = new ArrayList<>(actions);
    Collections.shuffle(shuffled, random);
    ParallelExecutor.inOrder().run(shuffled);
  }

  /** In the order of {@link InformerKind}. */
  private List<Informer<?, ?>> informers(FlatState state) {
    Supplier<Duration> lag = () -> world.jitter(timing.watchLag());
    Supplier<Duration> paused = () -> Duration.ofNanos((pausedUntil - loop.micros()) * 1_000);
    return List.of(
        new Informer<>(
            world.policies(), PolicyObject::policy, state.policyFeed(), loop, lag, paused),
        new Informer<>(
            world.policies(), PolicyObject::card, state.scorecardFeed(), loop, lag, paused),
        new Informer<>(world.nodes(), this::node, state.nodeFeed(), loop, lag, paused),
        new Informer<>(world.faults(), FaultObject::view, state.faultFeed(), loop, lag, paused),
        new Informer<>(world.jobs(), this::job, state.jobFeed(), loop, lag, paused),
        new Informer<>(world.pods(), PodObject::view, state.podFeed(), loop, lag, paused),
        new Informer<>(world.ranks(), RankObject::view, state.rankFeed(), loop, lag, paused),
        new Informer<>(
            world.recoveries(), RecoveryObject::view, state.recoveryFeed(), loop, lag, paused),
        new Informer<>(world.orders(), OrderObject::view, state.orderFeed(), loop, lag, paused),
        new Informer<>(
            world.restarts(), RestartObject::view, state.restartFeed(), loop, lag, paused));
  }

  private NodeView node(NodeObject node) {
    Spiderpool rails = world.spiderpool();
    return rails.isInstalled() ? rails.offering(node.view()) : node.view();
  }

  private JobView job(JobObject job) {
    Spiderpool rails = world.spiderpool();
    return rails.isInstalled() ? rails.asking(job.view()) : job.view();
  }

  private Informer<?, ?> spiderpool(FlatState state) {
    Spiderpool rails = world.spiderpool();
    rails
        .configs()
        .forEach(
            config -> state.networkTables().configFeed().present(config.network(), "1", config));
    state.networkTables().webhookFeed().present("spiderpool-controller", "1", rails.webhook());
    return new Informer<>(
        rails.pools(),
        PoolObject::view,
        state.networkTables().poolFeed(),
        loop,
        timing::watchLag,
        () -> Duration.ofNanos((pausedUntil - loop.micros()) * 1_000));
  }

  /** Not among the others, whose places network faults are drawn for. */
  private Informer<?, ?> spares(FlatState state) {
    return new Informer<>(
        world.spares(),
        SpareObject::view,
        state.spareFeed(),
        loop,
        timing::watchLag,
        () -> Duration.ofNanos((pausedUntil - loop.micros()) * 1_000));
  }

  /** Not among the others either. */
  private List<Informer<?, ?>> ofKueue(FlatState state) {
    Supplier<Duration> lag = timing::watchLag;
    Supplier<Duration> paused = () -> Duration.ofNanos((pausedUntil - loop.micros()) * 1_000);
    return List.of(
        new Informer<>(
            world.queueing().workloads(),
            WorkloadObject::view,
            state.workloadFeed(),
            loop,
            lag,
            paused),
        new Informer<>(
            world.queueing().queues(), QueueObject::view, state.queueFeed(), loop, lag, paused));
  }

  /** After the others, so that they keep their places. */
  private List<Informer<?, ?>> ofDrivers(FlatState state) {
    Supplier<Duration> lag = () -> world.jitter(timing.watchLag());
    Supplier<Duration> paused = () -> Duration.ofNanos((pausedUntil - loop.micros()) * 1_000);
    DraDrivers drivers = world.devices().drivers();
    return List.of(
        new Informer<>(drivers.slices(), SliceObject::view, state.sliceFeed(), loop, lag, paused),
        new Informer<>(
            drivers.rules(), TaintRuleObject::view, state.taintRuleFeed(), loop, lag, paused));
  }

  /** The queues are made after the state that adds to them. */
  private Changes changes() {
    return Changes.to(key -> jobs.add(key), name -> nodes.add(name), _ -> {});
  }

  private long notBefore() {
    return pausedUntil;
  }

  // --- election -----------------------------------------------------------------------------

  /**
   * Tries to acquire or renew the lease. The few calls that it takes are as one here: two that try
   * at the same moment are distinguished by the lease's version on a real API server.
   */
  private void standForElection() {
    if (!alive) {
      return;
    }
    long pause = pausedUntil - loop.micros();
    if (pause > 0) {
      Duration late = fleet.leaseCalls().afterStandstill();
      loop.after(Duration.ofNanos(pause * 1_000).plus(late), this::standForElection);
      return;
    }
    Instant sent = term.now();
    boolean done = caller.atOnce(this::acquireOrRenew);
    Duration late = done ? fleet.leaseCalls().answer() : Duration.ZERO;
    if (late.isZero()) {
      answered(sent, done);
    } else {
      loop.after(late, () -> answered(sent, done));
    }
  }

  /** What was sent then has had its effect, or is not known to have had it. */
  private void answered(Instant sent, boolean done) {
    long pause = pausedUntil - loop.micros();
    if (!alive) {
      return;
    }
    if (pause > 0) {
      loop.after(Duration.ofNanos(pause * 1_000), () -> answered(sent, done));
      return;
    }
    if (done) {
      term.renewed(fleet.factory().leaseCountsFrom(sent, term.now()));
      renewed = clock.instant();
      lead();
    } else if (taken) {
      fleet.ends(this, "another has its lease");
      return;
    } else if (leading && term.isOver()) {
      fleet.ends(this, "its lease ran out while it stood still");
      return;
    } else if (leading && !clock.instant().isBefore(renewed.plus(timing.leaseRenew()))) {
      fleet.ends(this, "could not renew its lease");
      return;
    }
    loop.after(world.jitter(timing.leaseRetry()), this::standForElection);
  }

  private boolean acquireOrRenew() {
    Instant now = clock.instant();
    Optional<LeaseObject> found = world.leases().find(LEASE);
    if (found.isEmpty()) {
      world
          .leases()
          .create(
              new LeaseObject(
                  Meta.draft("rekindle-system", "rekindle-controller", ""), identity, now));
      return true;
    }
    LeaseObject lease = found.get();
    boolean free = silence.of(lease).compareTo(timing.leaseDuration()) > 0;
    if (!lease.holder().equals(identity) && (leading || !free)) {
      taken = leading;
      return false;
    }
    if (leading && term.isOver()) {
      return false;
    }
    world.leases().patch(LEASE, l -> new LeaseObject(l.meta(), identity, now));
    return true;
  }

  /** Whether it may lead no more, at the moment in which it is about to send something. */
  private boolean isDeposed() {
    if (term.isOver()) {
      return true;
    }
    fleet.deeds().sends(identity);
    return false;
  }

  private void lead() {
    if (leading) {
      return;
    }
    leading = true;
    world.emit(Kind.CONTROLLER, identity, "leads");
    workOnceSynced();
  }

  private void workOnceSynced() {
    if (!alive) {
      return;
    }
    if (!Stream.concat(informers.stream(), optional.stream()).allMatch(Informer::synced)) {
      loop.after(Duration.ofMillis(100), this::workOnceSynced);
      return;
    }
    jobs.start();
    nodes.start();
    companion =
        fleet
            .companion()
            .begin(new Companion.Leader(state, clock, clock.steady(), loop, this::notBefore));
  }

  // --- faults -------------------------------------------------------------------------------

  boolean leading() {
    return alive && leading;
  }

  /** Whether it leads and is not paused. */
  boolean isAtWork() {
    return leading() && pausedUntil <= loop.micros();
  }

  String identity() {
    return identity;
  }

  /** Stops the world for it: a pause of its virtual machine, or of the machine it runs on. */
  void pause(Duration time) {
    if (pausedUntil <= loop.micros()) {
      pausedUntil = loop.micros() + time.toNanos() / 1_000;
      caller.standsStill();
    }
  }

  /** The clock on the wall of its machine steps, so that it is wrong by that. */
  void clockSteps(Duration by) {
    clock.isWrongBy(by);
  }

  /** One of its watches breaks. */
  void breakWatch(Duration time, Duration behind) {
    informers.get(random.nextInt(informers.size())).breakFor(time, behind);
  }

  /** That one of its watches breaks. */
  void breakWatch(InformerKind what, Duration time, Duration behind) {
    informers.get(List.of(InformerKind.values()).indexOf(what)).breakFor(time, behind);
  }

  /** It is gone, with everything that it remembers. */
  void die() {
    if (!alive) {
      return;
    }
    alive = false;
    informers.forEach(Informer::stop);
    optional.forEach(Informer::stop);
    caller.died();
    jobs.stop();
    nodes.stop();
    companion.run();
  }
}
