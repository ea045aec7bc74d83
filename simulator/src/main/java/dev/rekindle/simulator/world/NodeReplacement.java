package dev.rekindle.simulator.world;

import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.PodView.Failure;
import dev.rekindle.simulator.world.SimEvent.Kind;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Nodes whose object is deleted, and that come again under their name with another UID: the same
 * machine, which a person registers again, or another machine, as when an autoscaler replaces it.
 */
public final class NodeReplacement {
  /** For so long the garbage collector of pods leaves those of a Node that is not there. */
  private static final Duration QUARANTINE = Duration.ofSeconds(40);

  /** Between two tries of a machine that does not answer to register. */
  private static final Duration TRIES_AGAIN = Duration.ofSeconds(5);

  /** Until the kubelet exchanges the token of an agent, which names the Node. */
  private static final Duration TOKEN = Duration.ofMinutes(10);

  private final World world;
  private final Set<String> gone = new HashSet<>();

  NodeReplacement(World world) {
    this.world = world;
  }

  /**
   * The Node is deleted.
   *
   * @param exchanged whether its machine goes with it
   */
  public void leaves(String node, boolean exchanged) {
    if (world.nodes().find(node).isEmpty()) {
      return;
    }
    Machine machine = world.machine(node);
    gone.add(node);
    if (exchanged) {
      world.nodeOutages().powerOff(node);
      machine.absent = true;
    }
    world.nodes().delete(node, "", null);
    world.devices().nodeGone(node);
    world.emit(Kind.NODE, node, "its Node is deleted");
    world.loop().after(world.jitter(QUARANTINE), () -> collect(node));
  }

  /** Pods of a Node that is not there are removed by force. */
  private void collect(String node) {
    if (world.nodes().find(node).isPresent()) {
      return;
    }
    Failure failure = new Failure("NodeLost", false, "the pod is to go (DeletionByPodGC)");
    for (PodObject pod : world.pods().list("spec.nodeName", node)) {
      PodObject.Status was = pod.status();
      world.pods().patch(pod.meta().key(), p -> p.with(was.withFailure(failure)));
      world.pods().delete(pod.meta().key(), pod.meta().uid(), Duration.ZERO);
    }
    world.spares().list().stream()
        .filter(spare -> spare.node().equals(node))
        .forEach(spare -> world.spares().remove(spare.meta().key(), spare.meta().uid()));
    world.loop().after(world.jitter(QUARANTINE), () -> collect(node));
  }

  /** A Node of the name is there again; where its machine does not answer, as soon as it does. */
  public void joins(String node) {
    if (world.nodes().find(node).isPresent()) {
      return;
    }
    Machine machine = world.machine(node);
    if (machine.absent) {
      machine.exchanged();
      world.nodeOutages().exchanged(node);
      world.gangs().each(gang -> gang.training().exchanged(node));
    } else if (!machine.answers()) {
      world.loop().after(TRIES_AGAIN, () -> joins(node));
      return;
    }
    gone.remove(node);
    String uid =
        world
            .nodes()
            .create(
                NodeObject.draft(
                    machine.setup(), machine.bootId(), Readiness.NOT_READY, world.now()))
            .meta()
            .uid();
    world.emit(Kind.NODE, node, "is there again, as another Node");
    if (machine.nodeUid.isEmpty() || world.heads()) {
      machine.nodeUid = uid;
    } else {
      // Its agent lives through it, and names the former Node until its token names the new one.
      world.loop().after(world.jitter(TOKEN), () -> machine.nodeUid = uid);
    }
    world.nodeOutages().registered(machine);
  }

  /** Every machine whose Node is not there is put right and registers again. */
  public void calm() {
    for (String node : List.copyOf(gone).stream().sorted().toList()) {
      if (!world.machine(node).absent) {
        world.nodeOutages().repair(node);
      }
      joins(node);
    }
  }
}
