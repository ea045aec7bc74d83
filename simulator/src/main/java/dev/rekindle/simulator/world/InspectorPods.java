package dev.rekindle.simulator.world;

import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.TrackerOrder;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Starts the pods of checkpoint inspectors, and reads what they have found. */
public final class InspectorPods {
  /** An image that the node has to pull first. */
  private static final Duration PULL = Duration.ofSeconds(20);

  /** Its deadline, and for how long a finished Job stays. */
  private static final Duration KEPT = Duration.ofMinutes(10);

  /** Between two looks at the node of one that scans a volume. */
  private static final Duration LOOKS = Duration.ofSeconds(5);

  private final World world;

  InspectorPods(World world) {
    this.world = world;
  }

  /** The inspector's pod starts in a while, as soon as a node has room for it. */
  void start(InspectorObject inspector) {
    if (!inspector.nodes().isEmpty()) {
      inspector.nodes().forEach(node -> startOn(inspector, node));
      world.loop().after(KEPT, () -> end(inspector));
      return;
    }
    if (!inspector.volume().isEmpty()) {
      startOnVolume(inspector);
      world.loop().after(KEPT, () -> end(inspector));
      return;
    }
    world
        .loop()
        .after(
            world.jitter(world.timing().podStart().plus(Duration.ofMillis(700))),
            () -> {
              if (!hasRoom()) {
                start(inspector);
              } else if (world
                  .inspectors()
                  .find(inspector.meta().key())
                  .filter(i -> i.meta().uid().equals(inspector.meta().uid()))
                  .isPresent()) {
                world.inspectors().patch(inspector.meta().key(), i -> i.since(world.now()));
              }
            });
  }

  /** One of its pods starts once its node takes it; on some nodes its image is still pulled. */
  private void startOn(InspectorObject inspector, String node) {
    boolean pulls = Math.floorMod(inspector.meta().uid().hashCode() * 31 + node.hashCode(), 5) == 0;
    world
        .loop()
        .after(
            world.jitter(world.timing().podStart().plus(pulls ? PULL : Duration.ofMillis(700))),
            () -> {
              if (find(inspector).isEmpty()) {
                return;
              }
              if (takesPods(world.machine(node))) {
                world.inspectors().patch(inspector.meta().key(), i -> i.since(node, world.now()));
              } else {
                startOn(inspector, node);
              }
            });
  }

  /** Its one pod starts on a node that has the volume, once one takes it. */
  private void startOnVolume(InspectorObject inspector) {
    world
        .loop()
        .after(
            world.jitter(world.timing().podStart().plus(Duration.ofMillis(700))),
            () -> {
              if (find(inspector).isEmpty()) {
                return;
              }
              Optional<Machine> taker =
                  inspector.volume().stream()
                      .map(world::machine)
                      .filter(m -> takesPods(m) && isUntainted(m))
                      .findFirst();
              if (taker.isEmpty()) {
                startOnVolume(inspector);
                return;
              }
              String node = taker.get().name();
              world.inspectors().patch(inspector.meta().key(), i -> i.since(node, world.now()));
              evict(inspector, taker.get(), taker.get().number());
            });
  }

  /** The pod of a node that is away for long is replaced. */
  private void evict(InspectorObject inspector, Machine machine, int number) {
    world
        .loop()
        .after(
            LOOKS,
            () -> {
              if (find(inspector).isEmpty()) {
                return;
              }
              boolean gone =
                  machine.number() != number
                      || world
                          .nodes()
                          .find(machine.name())
                          .filter(n -> !isSilentForLong(n))
                          .isEmpty();
              if (gone) {
                world.inspectors().patch(inspector.meta().key(), InspectorObject::waiting);
                startOnVolume(inspector);
              } else {
                evict(inspector, machine, number);
              }
            });
  }

  private boolean isSilentForLong(NodeObject node) {
    return node.readiness() == Readiness.SILENT
        && node.since().plus(world.timing().toleration()).isBefore(world.now());
  }

  private boolean isUntainted(Machine machine) {
    return world
        .nodes()
        .find(machine.name())
        .filter(n -> n.readiness() == Readiness.READY)
        .filter(n -> n.owner() == null || !n.owner().tainted())
        .isPresent();
  }

  private Optional<InspectorObject> find(InspectorObject inspector) {
    return world
        .inspectors()
        .find(inspector.meta().key())
        .filter(i -> i.meta().uid().equals(inspector.meta().uid()));
  }

  /** A Job that has run to its deadline is removed some time later, with its reports. */
  private void end(InspectorObject inspector) {
    find(inspector).ifPresent(i -> world.inspectors().delete(i.meta().key(), "", null));
  }

  private boolean takesPods(Machine machine) {
    return machine.answers()
        && world.nodes().find(machine.name()).filter(n -> !n.unschedulable()).isPresent();
  }

  private boolean hasRoom() {
    return world.machines().stream().anyMatch(this::takesPods);
  }

  /** A pod that makes the job's tracker name a checkpoint starts in a while, once an attempt. */
  public void startTracker(JobObject job, TrackerOrder order) {
    TrainingProgress training = world.gang(job.meta().uid()).training();
    Tracker tracker = training.storage().tracker().orElseThrow();
    if (tracker.start(order.attempt())) {
      world
          .loop()
          .after(
              world.jitter(world.timing().podStart()),
              () -> {
                if (!world.now().isBefore(order.until())) {
                  tracker.refuse(order.attempt(), "it is too late: the job may train again");
                } else if (training.moving()) {
                  throw new IllegalStateException("a tracker is written while its job trains");
                } else {
                  tracker.rewrite(order.attempt(), order.path());
                }
              });
    }
  }

  /** What the newest report in the inspector's log says. */
  public Inspection inspection(String key) {
    InspectorObject inspector = world.inspectors().find(key).orElse(null);
    if (inspector == null) {
      return new Inspection.Absent();
    }
    return inspector.volume().isEmpty()
        ? report(inspector, inspector.scanning(), null)
        : inspector.scanningOn().entrySet().stream()
            .findFirst()
            .map(
                on ->
                    world.machine(on.getKey()).answers()
                        ? report(inspector, on.getValue(), null)
                        : new Inspection.Pending("the inspector's log cannot be read: 502"))
            .orElseGet(() -> report(inspector, null, null));
  }

  /** The same of its pod on that node, which cannot be read while the node does not answer. */
  public Inspection inspection(InspectorObject inspector, String node) {
    Machine machine = world.machine(node);
    return machine.answers()
        ? report(inspector, inspector.scanningOn().get(node), machine)
        : new Inspection.Pending("the inspector's log cannot be read: 502");
  }

  private Inspection report(
      InspectorObject inspector, @Nullable Instant since, @Nullable Machine machine) {
    if (since == null) {
      return new Inspection.Pending("the inspector's pod is Pending");
    }
    Duration scan = world.timing().scan();
    long scans = Duration.between(since, world.now()).dividedBy(scan);
    if (scans < 1) {
      return new Inspection.Pending("the first scan is under way");
    }
    Instant begun = since.plus(scan.multipliedBy(scans - 1));
    Instant done = begun.plus(scan);
    JobObject job = world.jobs().get(inspector.job().toString());
    Storage storage = world.gang(job.meta().uid()).training().storage();
    return new Inspection.Report(
        scans,
        machine == null ? storage.judged(begun, done) : storage.judged(machine, begun, done),
        "");
  }
}
