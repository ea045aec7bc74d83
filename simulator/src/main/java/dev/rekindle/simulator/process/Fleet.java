package dev.rekindle.simulator.process;

import dev.rekindle.controller.port.ClusterGateway.CallException;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.simulator.api.ApiError;
import dev.rekindle.simulator.engine.Loop;
import dev.rekindle.simulator.setup.Setup;
import dev.rekindle.simulator.setup.Timing;
import dev.rekindle.simulator.world.SimEvent.Kind;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** The replicas of the controller: each is started again when it dies. */
public final class Fleet {
  private final World world;
  private final Loop loop;
  private final Timing timing;
  private final RandomGenerator random;
  private final Reconcilers.Factory factory;
  private final WriteObserver deeds;
  private final List<ControllerProcess> processes = new ArrayList<>();
  private final List<Throwable> failures = new ArrayList<>();
  private final Answers answers = new Answers();
  private NetworkFaults weather = NetworkFaults.CALM;
  private LeaseCalls leaseCalls = LeaseCalls.PROMPT;
  private Companion companion = Companion.NONE;
  private Instant apiBack;
  private long skewMillis;
  private int started;
  private boolean closed;

  /** Starts the replicas that the setup requests. */
  public Fleet(
      World world,
      Loop loop,
      Setup setup,
      RandomGenerator random,
      Reconcilers.Factory factory,
      WriteObserver deeds) {
    this.world = world;
    this.loop = loop;
    this.timing = setup.timing();
    this.random = random;
    this.factory = factory;
    this.deeds = deeds;
    this.apiBack = loop.instant();
    for (int i = 0; i < setup.controllers(); i++) {
      start();
    }
  }

  private void start() {
    if (!closed) {
      String identity = "rekindle-controller-" + started++;
      long skew = skewMillis == 0 ? 0 : random.nextLong(-skewMillis, skewMillis + 1);
      processes.add(new ControllerProcess(this, identity, Duration.ofMillis(skew)));
      world.emit(Kind.CONTROLLER, identity, "starts");
    }
  }

  World world() {
    return world;
  }

  Loop loop() {
    return loop;
  }

  Timing timing() {
    return timing;
  }

  RandomGenerator random() {
    return random;
  }

  Reconcilers.Factory factory() {
    return factory;
  }

  WriteObserver deeds() {
    return deeds;
  }

  /** From now on that runs in each process that begins to lead. */
  public void accompanyBy(Companion next) {
    companion = next;
  }

  Companion companion() {
    return companion;
  }

  /** What the API server answers instead of doing what the controller requests. */
  public Answers answers() {
    return answers;
  }

  Caller.Climate climate() {
    return new Caller.Climate() {
      @Override
      public NetworkFaults weather() {
        return weather;
      }

      @Override
      public boolean apiUp(Instant now) {
        return !now.isBefore(apiBack);
      }
    };
  }

  void failed(Throwable failure) {
    if (failures.size() < 100) {
      failures.add(failure);
    }
  }

  /** A process exits: from the next event on it is gone. */
  void ends(ControllerProcess process, String why) {
    loop.after(Duration.ZERO, () -> kill(process, why));
  }

  private void kill(ControllerProcess process, String why) {
    if (processes.remove(process)) {
      world.emit(Kind.CONTROLLER, process.identity(), "dies: " + why);
      process.die();
      deeds.processDied();
      loop.after(world.jitter(timing.restart()), this::start);
    }
  }

  // --- faults -------------------------------------------------------------------------------

  /** How calls fare from now on. */
  public void weather(NetworkFaults next) {
    weather = next;
  }

  /** How calls about the lease fare from now on. */
  public void leaseCalls(LeaseCalls next) {
    leaseCalls = next;
  }

  LeaseCalls leaseCalls() {
    return leaseCalls;
  }

  /** How long others wait for a silent leader. */
  public Duration lease() {
    return timing.leaseDuration();
  }

  /** The API server answers no replica of the controller until then. */
  public void apiDownUntil(Instant until) {
    apiBack = until;
  }

  /** Clocks of processes that start from now on differ by up to so much. */
  public void skew(Duration most) {
    skewMillis = most.toMillis();
  }

  /** The clock of the leader's machine, or of each process when none leads, steps by that. */
  public void stepClock(Duration by) {
    List<ControllerProcess> leaders =
        processes.stream().filter(ControllerProcess::leading).toList();
    deeds.clocksAreWrong(true);
    (leaders.isEmpty() ? processes : leaders).forEach(process -> process.clockSteps(by));
  }

  /** All clocks are set. */
  public void setClocks() {
    deeds.clocksAreWrong(false);
    processes.forEach(process -> process.clockSteps(Duration.ZERO));
  }

  /**
   * The watch of nodes, or of pods, of each process breaks.
   *
   * @param behind how far behind the list is that it begins again with
   */
  public void breakWatch(InformerKind what, Duration time, Duration behind) {
    processes.forEach(process -> process.breakWatch(what, time, behind));
  }

  /** The leader dies, or all processes when none leads. */
  public void killLeader() {
    Optional<ControllerProcess> leader =
        processes.stream().filter(ControllerProcess::leading).findFirst();
    if (leader.isPresent()) {
      kill(leader.get(), "killed");
    } else {
      List.copyOf(processes).forEach(process -> kill(process, "killed"));
    }
  }

  /** Every process dies. */
  public void killAll() {
    List.copyOf(processes).forEach(process -> kill(process, "killed"));
  }

  /** Whether a process leads that is not paused. */
  public boolean isLed() {
    return processes.stream().anyMatch(ControllerProcess::isAtWork);
  }

  /** The process of the leader is paused for a while, and cannot notice it. */
  public void pauseLeader(Duration time) {
    processes.stream()
        .filter(ControllerProcess::leading)
        .forEach(
            process -> {
              world.emit(Kind.CONTROLLER, process.identity(), "stands still for " + time);
              process.pause(time);
            });
  }

  /**
   * A watch of each process breaks.
   *
   * @param behind how far behind the list is that it begins again with
   */
  public void breakWatches(Duration time, Duration behind) {
    processes.forEach(process -> process.breakWatch(time, behind));
  }

  /** Reconciles that failed with an error that is none of the cluster's: bugs of the controller. */
  public List<Throwable> failures() {
    return failures.stream()
        .filter(
            f ->
                !(f instanceof ApiError
                    || f instanceof StaleException
                    || f instanceof CallException))
        .toList();
  }

  /** Ends everything that runs. */
  public void close() {
    closed = true;
    List.copyOf(processes).forEach(ControllerProcess::die);
    processes.clear();
  }
}
