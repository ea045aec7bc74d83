package dev.rekindle.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.controller.runtime.ParallelExecutor;
import dev.rekindle.detect.fault.FaultName;
import dev.rekindle.detect.fault.FaultState;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.chaos.Invariants;
import dev.rekindle.simulator.engine.Fiber;
import dev.rekindle.simulator.process.Answers;
import dev.rekindle.simulator.process.Reconcilers;
import dev.rekindle.simulator.process.WriteObserver;
import dev.rekindle.simulator.setup.Setup;
import dev.rekindle.simulator.world.FaultObject;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.QueueObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.WorkloadObject;
import dev.rekindle.simulator.world.World;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The controller beside a job on a cluster of four nodes. Whatever else a test checks, the
 * invariants hold; with a rate of crashes, the process is killed around its calls: before the call,
 * or after it took effect and before it was known.
 */
final class SimulatedJob implements AutoCloseable {
  private static final Duration TICK = Duration.ofMillis(100);
  private static final Duration LIMIT = Duration.ofHours(1);

  private final Random random;
  private final Reconcilers.Factory made;
  private final double crashRate;
  private final List<String> deeds = new ArrayList<>();
  private final List<String> events = new ArrayList<>();
  private final List<ClusterEvent> announced = new ArrayList<>();
  private final Simulation simulation;
  private final Invariants invariants;
  private int reconciles;
  private int crashes;

  SimulatedJob(Given.Job job, Policy policy) {
    this(job, policy, new Random(0), 0);
  }

  SimulatedJob(Given.Job job, Policy policy, Random random, double crashRate) {
    this(Given.cluster(4, policy, 2, job.setup()), random, crashRate, Reconcilers.REAL);
  }

  SimulatedJob(Setup setup, Random random, double crashRate, Reconcilers.Factory made) {
    this.made = made;
    this.random = random;
    this.crashRate = crashRate;
    Writer writer = new Writer();
    simulation =
        Simulation.of(crashRate == 0 ? setup : Given.swift(setup), this::controller, writer);
    invariants =
        new Invariants(
            simulation.world(),
            setup.policy(),
            simulation.fleet().answers(),
            simulation::now,
            setup.timing().scan());
    writer.invariants = invariants.deeds();
    simulation.listen(happening -> events.add(happening.toString()));
  }

  private Reconcilers controller(
      ClusterState state, ClusterGateway gateway, InstantSource clock, ParallelExecutor effects) {
    Reconcilers real = made.make(state, crashing(gateway), clock, effects);
    return new Reconcilers(
        key -> {
          reconciles++;
          return real.jobs().reconcile(key);
        },
        real.nodes());
  }

  private ClusterGateway crashing(ClusterGateway gateway) {
    if (crashRate == 0) {
      return gateway;
    }
    return (ClusterGateway)
        Proxy.newProxyInstance(
            SimulatedJob.class.getClassLoader(),
            new Class<?>[] {ClusterGateway.class},
            (_, method, arguments) -> {
              // Nothing waits for an Event of another process: its write is no moment of its own.
              boolean crashes = !method.getName().equals("recordEventOnce");
              try {
                crash(crashes);
                Object answer = method.invoke(gateway, arguments);
                crash(crashes);
                return answer;
              } catch (InvocationTargetException thrown) {
                throw Objects.requireNonNull(thrown.getCause());
              }
            });
  }

  /** The caller is the leader, and a fiber of it. */
  private void crash(boolean may) {
    if (may && random.nextDouble() < crashRate) {
      crashes++;
      simulation.at(now(), () -> simulation.fleet().killLeader());
      Fiber.park();
    }
  }

  // --- what is done to it -------------------------------------------------------------------

  /** What the API server answers in the place of what it is asked. */
  Answers answers() {
    return simulation.fleet().answers();
  }

  FaultInjector levers() {
    return simulation.levers();
  }

  /** A NodeFault that ends no process. */
  void stateFault(String node) {
    NodeFaultSpec fault =
        new NodeFaultSpec(
            node,
            ComponentType.GPU,
            "0000:3b:00",
            "XID-79",
            "test",
            FenceGuidance.ALWAYS,
            "reboot_node",
            "",
            now(),
            "NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.");
    String name = FaultName.of(node, fault.componentId(), fault.code());
    world()
        .faults()
        .create(FaultObject.of(Meta.draft("", name, ""), new FaultState(fault, null), true));
  }

  void until(BooleanSupplier condition) {
    Instant limit = now().plus(LIMIT);
    // Steps are no events: the condition is checked after every event, and now and then.
    while (!simulation.runUntil(condition, TICK)) {
      check();
      if (now().isAfter(limit)) {
        throw new AssertionError("not within " + LIMIT);
      }
    }
    check();
  }

  void untilOver() {
    until(() -> !recoveries().isEmpty() && recoveries().stream().noneMatch(RecoveryView::open));
  }

  /** Until so many recoveries are over. */
  void untilOver(int count) {
    until(() -> recoveries().stream().filter(r -> !r.open()).count() == count);
  }

  /** The status of the newest of several. */
  RecoveryStatus newest() {
    return Objects.requireNonNull(
        recoveries().stream().max(Comparator.comparing(RecoveryView::name)).orElseThrow().status());
  }

  void runFor(Duration time) {
    simulation.runFor(time);
    check();
  }

  private void check() {
    assertThat(invariants.violation()).isEmpty();
    assertThat(simulation.fleet().failures()).isEmpty();
    assertThat(recoveries().stream().filter(RecoveryView::open).count())
        .as("open recoveries")
        .isLessThanOrEqualTo(1);
  }

  // --- how it stands ------------------------------------------------------------------------

  World world() {
    return simulation.world();
  }

  Instant now() {
    return simulation.now();
  }

  long step() {
    return simulation.training(Given.KEY).step();
  }

  JobView job() {
    return simulation.job(Given.KEY);
  }

  boolean suspended() {
    return job().suspended();
  }

  List<PodView> pods() {
    return simulation.pods(Given.KEY);
  }

  List<NodeView> nodes() {
    return simulation.nodes();
  }

  NodeView node(String name) {
    return simulation.world().nodes().get(name).view();
  }

  List<RecoveryView> recoveries() {
    return simulation.recoveries(Given.KEY);
  }

  RecoveryStatus only() {
    assertThat(recoveries()).hasSize(1);
    return Objects.requireNonNull(recoveries().getFirst().status());
  }

  /** Phase of the only recovery, null before it has one. */
  @Nullable RecoveryPhase phase() {
    return recoveries().isEmpty() || recoveries().getFirst().status() == null
        ? null
        : only().phase();
  }

  /** What the controller did to jobs, pods and nodes, in order. */
  List<String> deeds() {
    return deeds;
  }

  List<ClusterEvent> announced() {
    return announced;
  }

  /** Everything that happened. */
  List<String> events() {
    return events;
  }

  /** How often the controller has reconciled the job. */
  int reconciles() {
    return reconciles;
  }

  @Override
  public void close() {
    simulation.close();
  }

  @Override
  public String toString() {
    return "at %s, %d crashes, step %d, %s, %s"
        .formatted(now(), crashes, step(), recoveries(), deeds);
  }

  /** Records each write, and checks the invariants on it. */
  private final class Writer implements WriteObserver {
    private @Nullable WriteObserver invariants;

    private WriteObserver invariants() {
      return Objects.requireNonNull(invariants);
    }

    @Override
    public void opened(RecoveryObject recovery) {
      invariants().opened(recovery);
    }

    @Override
    public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
      invariants().saved(before, after);
    }

    @Override
    public void cordoned(NodeObject before, String recovery) {
      deeds.add("cordon " + before.meta().name());
      invariants().cordoned(before, recovery);
    }

    @Override
    public void released(NodeObject before) {
      // A fence that a test placed is as good as one of ours.
      if (!before.fencedBy().startsWith("team/other-")) {
        invariants().released(before);
      }
    }

    @Override
    public void wrote(JobObject before, JobObject after, String verb, String recovery) {
      deeds.add(verb + " " + after.template().attempt());
      invariants().wrote(before, after, verb, recovery);
    }

    @Override
    public void deactivated(JobObject job, String recovery) {
      invariants().deactivated(job, recovery);
    }

    @Override
    public void activated(WorkloadObject before) {
      invariants().activated(before);
    }

    @Override
    public void openedQueue(QueueObject before) {
      invariants().openedQueue(before);
    }

    @Override
    public void deleted(PodObject pod, Duration grace) {
      deeds.add((grace.isZero() ? "force " : "delete ") + pod.meta().name());
      invariants().deleted(pod, grace);
    }

    @Override
    public void ordered(@Nullable OrderObject before, OrderObject after) {
      deeds.add("order %s %s".formatted(after.meta().name(), after.spec().instruction()));
      invariants().ordered(before, after);
    }

    @Override
    public void withdrew(OrderObject before) {
      deeds.add("withdraw " + before.meta().name());
      invariants().withdrew(before);
    }

    @Override
    public void clocksAreWrong(boolean wrong) {
      invariants().clocksAreWrong(wrong);
    }

    @Override
    public void processDied() {
      invariants().processDied();
    }

    @Override
    public void announced(ClusterEvent said) {
      announced.add(said);
      invariants().announced(said);
    }
  }
}
