package dev.rekindle.simulator.world;

import dev.rekindle.detect.SteadyClock;
import dev.rekindle.detect.fault.FaultObservation;
import dev.rekindle.detect.fault.FaultResolution;
import dev.rekindle.detect.pod.TrainingPod;
import dev.rekindle.detect.restart.JournalEntry;
import dev.rekindle.detect.restart.RestartJournal;
import dev.rekindle.detect.restart.RestartLoop;
import dev.rekindle.detect.restart.RestartMetrics;
import dev.rekindle.simulator.engine.Fiber;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The agent of one node: the restart loop that ships, on a fiber, over the processes of its node,
 * its disk and its calls; on another, what states the faults of its node. A process of it that was
 * never needed is not run; it comes to be as if it had been there all the time. Rounds between
 * which nothing can change are left out.
 */
final class NodeAgent {
  /** From what changed to the first thing done about it. */
  private static final Duration REACTS = Duration.ofMillis(120);

  /** Between rounds while a call is to be tried again. */
  private static final Duration TRIES_AGAIN = Duration.ofMillis(250);

  private static final int SLOW = 30;
  private static final long PAUSED = 1_000_000;

  private static final RestartMetrics UNCOUNTED =
      new RestartMetrics() {
        @Override
        public void killed() {}

        @Override
        public void problem() {}

        @Override
        public void writeFailed(String kind) {}
      };

  private final World world;
  private final Machine machine;
  private final AgentRestarts restarts;
  private final NodeDisk disk;
  private final NodeFreezer freezer;
  private final AgentCalls calls;
  private final FaultDisk faultDisk;
  private final FaultAgent faults;
  private AgentView view;
  private RankWitnesses witnesses;
  private @Nullable Fiber fiber;
  private boolean waiting;
  private boolean retired;
  private boolean woken;
  private Instant back = Instant.MIN;
  private Instant swift = Instant.MIN;
  private Instant sees = Instant.MIN;
  private Duration clockStep = Duration.ZERO;
  private InstantSource counted;

  NodeAgent(World world, Machine machine) {
    this.world = world;
    this.machine = machine;
    this.restarts = new AgentRestarts(world);
    this.disk = new NodeDisk(world::now, restarts::noted);
    this.freezer = new NodeFreezer(world, machine);
    this.calls = new AgentCalls(world, machine);
    this.faultDisk = new FaultDisk(world::now);
    this.faults = new FaultAgent(world, machine, faultDisk, this::wall);
    this.view = new AgentView(world, machine.name());
    this.witnesses = new RankWitnesses(world, machine);
    this.counted = this::wall;
  }

  /** The wall clock of its machine. */
  private Instant wall() {
    return world.now().plus(clockStep);
  }

  String node() {
    return machine.name();
  }

  // --- its process --------------------------------------------------------------------------

  boolean lives() {
    return !retired && !back.isAfter(world.now());
  }

  /** Something changed that it may have to do with. */
  void wake() {
    if (!lives() || !machine.powered) {
      return;
    }
    woken = true;
    Fiber running = fiber;
    if (running == null) {
      view.seePods();
      start(/* fresh= */ false);
    } else if (waiting) {
      waiting = false;
      running.wake();
    }
  }

  /** Its kernel log has another record, or one of its detectors sees something. */
  void hears() {
    faults.wake(lives());
  }

  /** A detector of devices sees this. */
  void sees(FaultObservation observation) {
    faults.sees(observation);
    hears();
  }

  /** A detector of devices finds that something is over. */
  void resolved(FaultResolution resolution) {
    faults.resolved(resolution);
    hears();
  }

  /** What its detectors saw is not there any more. */
  void forget() {
    faults.forget();
  }

  /** Its machine continues after it stood still. */
  void goesOn() {
    hears();
    Fiber running = fiber;
    if (running != null && lives()) {
      woken = true;
      waiting = false;
      running.wake();
    }
  }

  /** The same, where it is run at all. */
  void wakeIfRunning() {
    hears();
    if (fiber != null) {
      wake();
    }
  }

  /** A pod of its node is gone; one that has been there all the time has seen it before. */
  void wakeFor(PodObject gone) {
    if (fiber == null && lives()) {
      view.saw(gone);
    }
    wake();
  }

  private void start(boolean fresh) {
    fiber =
        Fiber.start(
            world.loop(),
            () -> machine.runs() ? 0 : world.loop().micros() + PAUSED,
            () -> live(fresh));
  }

  /** Its process dies, and is started again after that time. */
  void dies(Duration time) {
    end();
    back = world.now().plus(time);
    world.loop().at(back, this::startsAgain);
  }

  /** The machine has lost its power. */
  void powerLost() {
    end();
  }

  /** Its machine is gone, and its disk with it. */
  void retire() {
    end();
    retired = true;
  }

  void end() {
    faults.end();
    Fiber running = fiber;
    fiber = null;
    waiting = false;
    if (running != null) {
      running.kill();
      calls.died();
    }
    view = new AgentView(world, machine.name());
  }

  /** Where it has nothing to do with any order it need not be run. */
  void startsAgain() {
    hears();
    boolean needed = !disk.notes().isEmpty() || world.orders().all().iterator().hasNext();
    if (needed && fiber == null && lives() && machine.powered) {
      start(/* fresh= */ true);
    }
  }

  // --- faults -------------------------------------------------------------------------------

  void slowUntil(Instant until) {
    swift = until;
  }

  void blindUntil(Instant until) {
    sees = until;
    world.loop().at(until, this::wake);
  }

  void cannotFreezeUntil(Instant until) {
    freezer.refusesUntil(until);
  }

  void refusedUntil(int code, Instant until) {
    calls.refusesUntil(code, until);
    faults.calls().refusesUntil(code, until);
  }

  void diskFullUntil(Instant until) {
    disk.fullUntil(until);
    faultDisk.fullUntil(until);
  }

  /** Its wall clock goes wrong by that, on top of what it is wrong by already. */
  void clockSteps(Duration by) {
    clockStep = clockStep.plus(by);
    if (fiber != null) {
      wake();
    }
  }

  void clockIsSet() {
    clockStep = Duration.ZERO;
  }

  // --- its rounds ---------------------------------------------------------------------------

  private void live(boolean fresh) {
    AgentConsent consent = new AgentConsent(world, calls);
    RestartLoop loop = loop(consent);
    if (!fresh) {
      view.pods().forEach(consent::read);
      var _ = loop.round();
    }
    while (true) {
      woken = false;
      if (isCurrent()) {
        view.refresh();
      }
      Duration pause = loop.round();
      restarts.adopt(disk.notes(), view.orders());
      if (await(stretched(pause))) {
        boolean slow = swift.isAfter(world.now());
        Duration reacts = world.timing().watchLag().plus(REACTS);
        Fiber.sleep(world.jitter(slow ? reacts.multipliedBy(SLOW) : reacts));
      }
    }
  }

  private RestartLoop loop(AgentConsent consent) {
    InstantSource clock = this::wall;
    counted = SteadyClock.over(world::now).from(wall());
    AgentView seen = view;
    witnesses = new RankWitnesses(world, machine);
    return new RestartLoop(
        machine.name(),
        /* enabled= */ true,
        seen::synced,
        seen::orders,
        seen::pods,
        seen::takeGone,
        consent,
        calls,
        freezer,
        new RestartJournal(disk),
        clock,
        counted,
        UNCOUNTED,
        witnesses);
  }

  /** Whether its watches show what there is. */
  private boolean isCurrent() {
    return machine.connected && !world.controlPlane().apiAway() && !sees.isAfter(world.now());
  }

  /** The pause until the next round in which something can be otherwise; none for a change. */
  private @Nullable Duration stretched(Duration pause) {
    if (pause.equals(RestartLoop.SOON) || witnesses.waiting()) {
      return swift.isAfter(world.now()) ? pause.multipliedBy(SLOW) : pause;
    }
    if (calls.failing()) {
      return TRIES_AGAIN;
    }
    if (pause.equals(RestartLoop.CALM) && disk.notes().isEmpty() && view.synced()) {
      return null;
    }
    Duration next = RestartLoop.CALM;
    for (JournalEntry note : disk.notes()) {
      Instant until = note.until();
      if (until != null) {
        Duration left = Duration.between(counted.instant(), until);
        if (!left.isNegative() && left.compareTo(next) < 0) {
          next = left.plusMillis(1);
        }
      }
    }
    return next;
  }

  /** Waits; whether something changed. */
  private boolean await(@Nullable Duration pause) {
    if (!woken) {
      waiting = true;
      if (pause == null) {
        Fiber.park();
      } else {
        Fiber.sleep(pause);
      }
      waiting = false;
    }
    return woken;
  }

  // --- what it has to do with ---------------------------------------------------------------

  /** Whether it has to do with that pod. */
  boolean has(String podUid) {
    return disk.knows(podUid);
  }

  /** Whether it has to do with that order. */
  boolean hasOrder(String uid) {
    for (JournalEntry note : disk.notes()) {
      if (note.orderUid().equals(uid)) {
        return true;
      }
    }
    return false;
  }

  /** Pods of its node, as it sees them. */
  List<TrainingPod> pods() {
    return view.pods();
  }
}
