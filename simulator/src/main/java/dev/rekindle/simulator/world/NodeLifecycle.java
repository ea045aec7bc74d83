package dev.rekindle.simulator.world;

import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.PodView.Failure;
import dev.rekindle.simulator.world.SimEvent.Kind;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * The node lifecycle controller: a node that is silent for the grace period becomes Unknown and its
 * pods not ready; they are deleted when their toleration is over, and stay Terminating for as long
 * as no kubelet confirms their end.
 */
final class NodeLifecycle {
  private static final Duration NOTICES = Duration.ofSeconds(1);

  /** For so long a kubelet may find that its own runtime has not answered lately. */
  private static final Duration NOT_READY = Duration.ofSeconds(4);

  /** The same after a boot, where its network or its driver is long in coming. */
  private static final Duration LONG_NOT_READY = Duration.ofSeconds(50);

  private final World world;
  private final Map<String, Long> silences = new HashMap<>();

  NodeLifecycle(World world) {
    this.world = world;
  }

  void silent(Machine machine) {
    long mine = next(machine);
    world
        .loop()
        .after(
            world.jitter(world.timing().nodeGrace()),
            () -> {
              if (last(machine, mine) && !machine.answers()) {
                set(machine, Readiness.SILENT);
                world.pods().list("spec.nodeName", machine.name()).forEach(this::notReady);
                world.emit(Kind.NODE, machine.name(), "does not answer: Ready is Unknown");
                world.loop().after(world.timing().toleration(), () -> evict(machine, mine));
              }
            });
  }

  private long next(Machine machine) {
    return silences.merge(machine.name(), 1L, Long::sum);
  }

  private boolean last(Machine machine, long turn) {
    return silences.getOrDefault(machine.name(), 0L) == turn;
  }

  private void notReady(PodObject pod) {
    PodObject.Status was = pod.status();
    if (was.ready()) {
      world.pods().patch(pod.meta().key(), p -> p.with(was.withReady(false)));
    }
  }

  private void evict(Machine machine, long mine) {
    if (!last(machine, mine) || machine.answers()) {
      return;
    }
    for (PodObject pod : world.pods().list("spec.nodeName", machine.name())) {
      if (!pod.meta().terminating()) {
        lost(pod);
        world.pods().delete(pod.meta().key(), pod.meta().uid(), null);
      }
    }
  }

  /** What condition DisruptionTarget says. */
  private void lost(PodObject pod) {
    PodObject.Status was = pod.status();
    Failure failure = new Failure("NodeLost", false, "the pod is to go (DeletionByTaintManager)");
    world.pods().patch(pod.meta().key(), p -> p.with(was.withFailure(failure)));
  }

  /** It answers again; by chance it first calls itself not ready. */
  void answers(Machine machine) {
    long mine = next(machine);
    world
        .loop()
        .after(
            world.jitter(NOTICES),
            () -> {
              if (last(machine, mine) && machine.answers()) {
                // A kubelet that has just been started first calls its node not ready, most often.
                boolean booted = booted(machine) && !machine.bootsQuietly;
                boolean doubts = booted || (silent(machine.name()) && world.heads());
                set(machine, doubts ? Readiness.NOT_READY : Readiness.READY);
                if (doubts) {
                  Duration time = NOT_READY;
                  if (world.heads()) {
                    time = world.heads() && booted ? LONG_NOT_READY : NOT_READY;
                  }
                  world.loop().after(time, () -> ready(machine, mine));
                }
              }
            });
  }

  private boolean booted(Machine machine) {
    return world
        .nodes()
        .find(machine.name())
        .filter(n -> !n.bootId().equals(machine.bootId()))
        .isPresent();
  }

  private boolean silent(String node) {
    return world.nodes().find(node).filter(n -> n.readiness() == Readiness.SILENT).isPresent();
  }

  private void ready(Machine machine, long mine) {
    if (last(machine, mine) && machine.answers()) {
      set(machine, Readiness.READY);
    }
  }

  private void set(Machine machine, Readiness readiness) {
    if (world.nodes().find(machine.name()).isPresent()) {
      world
          .nodes()
          .patch(
              machine.name(),
              n ->
                  readiness == Readiness.SILENT
                      ? n.with(readiness, world.now())
                      : n.with(readiness, world.now()).booted(machine.bootId(), world.now()));
    }
  }
}
