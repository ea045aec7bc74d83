package dev.rekindle.simulator.world;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.PodView.Failure;
import dev.rekindle.controller.model.PodView.Phase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The scheduler: binds pods to nodes that bear no taint of the node lifecycle controller, not
 * cordoned, not ruled out by the pod's affinity, and have the GPUs that it requests; of those it
 * takes the one that the pod prefers. Where there is none it removes warm spares for it, and tries
 * again. With the plugin Coscheduling, the pods of a {@link PodGroups PodGroup} all together.
 */
final class Scheduler {
  private static final int NEAR = 1;
  private static final int UNAVOIDED = 2;
  private static final int PLANNED = 4;

  /**
   * The taint that keeps pods off a node that does not answer follows its condition by so much:
   * seen on a loaded testbed, where a pod was bound to a node that was Unknown already.
   */
  private static final Duration TAINT_DELAY = Duration.ofMillis(500);

  private final World world;
  private final Volumes volumes;
  private boolean asked;

  Scheduler(World world) {
    this.world = world;
    this.volumes = new Volumes(world);
  }

  /** Something changed that may give a pod its place. */
  void changed() {
    if (!asked) {
      asked = true;
      later();
    }
  }

  private void later() {
    world
        .loop()
        .after(
            world.jitter(world.timing().schedule()),
            () -> {
              if (world.controlPlane().schedulerAway()) {
                world.loop().at(world.controlPlane().schedulerBack(), this::later);
                return;
              }
              asked = false;
              schedule();
            });
  }

  private void schedule() {
    List<PodObject> waiting = new ArrayList<>();
    Map<String, Integer> used = new HashMap<>();
    for (PodObject pod : world.pods().all()) {
      if (pod.node().isEmpty()) {
        if (!pod.meta().terminating()) {
          waiting.add(pod);
        }
      } else if (pod.live()) {
        used.merge(pod.node(), pod.gpus(), Integer::sum);
      }
    }
    for (SpareObject spare : world.spares().all()) {
      if (!spare.node().isEmpty()) {
        used.merge(spare.node(), spare.gpus(), Integer::sum);
      }
    }
    int least = waiting.stream().mapToInt(PodObject::gpus).min().orElse(0);
    List<NodeObject> free = new ArrayList<>();
    for (NodeObject node : world.nodes().all()) {
      if (takesPods(node) && !node.unschedulable() && room(node, used) >= least) {
        free.add(node);
      }
    }
    Set<JobKey> groups = new HashSet<>();
    for (PodObject pod : waiting) {
      if (!pod.setup().podGroup()) {
        place(pod, free, used, least);
      } else if (groups.add(pod.job())) {
        List<PodObject> members = waiting.stream().filter(p -> p.job().equals(pod.job())).toList();
        placeTogether(members, free, used, least);
      }
    }
    for (SpareObject spare : world.spares().list()) {
      if (spare.node().isEmpty()) {
        place(spare, used);
      }
    }
  }

  /** After all pods: spares have the least priority. */
  private void place(SpareObject spare, Map<String, Integer> used) {
    for (NodeObject node : world.nodes().list()) {
      String name = node.meta().name();
      if (spare.hostnames().contains(name)
          && takesPods(node)
          && !node.unschedulable()
          && spare.gpus() <= room(node, used)) {
        used.merge(name, spare.gpus(), Integer::sum);
        var _ = world.spares().patch(spare.meta().key(), s -> s.withNode(name));
        return;
      }
    }
  }

  /** Removes the spares of a node where a pod fits without them; whether there is one. */
  private boolean preempts(PodObject pod, Map<String, Integer> used) {
    for (NodeObject node : world.nodes().list()) {
      String name = node.meta().name();
      List<SpareObject> there =
          world.spares().list().stream().filter(s -> s.node().equals(name)).toList();
      int held = there.stream().mapToInt(SpareObject::gpus).sum();
      if (held > 0
          && takesPods(node)
          && !node.unschedulable()
          && !pod.template().excluded().contains(name)
          && volumes.reaches(pod, name)
          && NodeChoice.lets(pod.setup().needs(), node.setup())
          && !world.spiderpool().lacksDevice(name)
          && pod.gpus() <= room(node, used) + held) {
        used.merge(name, -held, Integer::sum);
        there.forEach(s -> world.spares().remove(s.meta().key(), s.meta().uid()));
        return true;
      }
    }
    return false;
  }

  private boolean takesPods(NodeObject node) {
    if (node.owner() != null && node.owner().tainted()) {
      return false;
    }
    return switch (node.readiness()) {
      case READY -> true;
      case SILENT -> world.now().isBefore(node.since().plus(TAINT_DELAY));
      case NOT_READY -> false;
    };
  }

  /** The most that a node can score for the pod. */
  private static int best(PodObject pod) {
    boolean plans = !pod.template().planned().isEmpty() && isPlanned(pod);
    return NEAR + UNAVOIDED + (plans ? PLANNED : 0);
  }

  /** Whether the planned nodes are for it, and not those that it is to leave to the master. */
  private static boolean isPlanned(PodObject pod) {
    return !pod.template().forMaster() || pod.rank() == 0;
  }

  /** All waiting pods of a PodGroup if each finds a place, else none of them. */
  private void placeTogether(
      List<PodObject> waiting, List<NodeObject> free, Map<String, Integer> used, int least) {
    JobObject job = world.jobs().find(waiting.getFirst().job().toString()).orElse(null);
    PodGroupObject group = job == null ? null : world.podGroups().of(job).orElse(null);
    if (job == null || group == null || world.podGroups().isAside(group)) {
      waiting.forEach(this::unschedulable);
      return;
    }
    long placed =
        world.podsOf(job).stream().filter(pod -> pod.live() && !pod.node().isEmpty()).count();
    if (placed + waiting.size() < group.least()) {
      waiting.forEach(this::unschedulable);
      return;
    }
    Map<PodObject, NodeObject> places = new LinkedHashMap<>();
    Map<String, Integer> then = new HashMap<>(used);
    for (PodObject pod : waiting) {
      List<NodeObject> open =
          pod.setup().needs().onePerNode()
              ? free.stream().filter(node -> !places.containsValue(node)).toList()
              : free;
      NodeObject best = choose(pod, open, then);
      if (best == null) {
        if (!preempts(pod, used)) {
          waiting.forEach(this::unschedulable);
          world.podGroups().putAside(group, this::changed);
        }
        return;
      }
      then.merge(best.meta().name(), pod.gpus(), Integer::sum);
      places.put(pod, best);
    }
    places.forEach((pod, node) -> bind(pod, node, free, used, least));
  }

  private void place(PodObject pod, List<NodeObject> free, Map<String, Integer> used, int least) {
    NodeObject best = choose(pod, free, used);
    if (best != null) {
      bind(pod, best, free, used, least);
    } else if (!preempts(pod, used)) {
      unschedulable(pod);
    }
  }

  /** The best of the nodes on which the pod fits. */
  private @Nullable NodeObject choose(
      PodObject pod, List<NodeObject> free, Map<String, Integer> used) {
    NodeObject best = null;
    int bestScore = -1;
    for (NodeObject node : free) {
      int score = fits(pod, node, used) ? score(pod, node) : -1;
      if (score > bestScore) {
        best = node;
        bestScore = score;
      }
      if (score == best(pod)) {
        break;
      }
    }
    return best;
  }

  /** Binds the pod, and takes a node that is full then from the free ones. */
  private void bind(
      PodObject pod, NodeObject node, List<NodeObject> free, Map<String, Integer> used, int least) {
    String name = node.meta().name();
    used.merge(name, pod.gpus(), Integer::sum);
    if (room(node, used) < least) {
      free.remove(node);
    }
    HeldGpus held = world.machine(name).held(firstFree(name, pod.gpus()), pod.gpus());
    world.pods().patch(pod.meta().key(), p -> p.boundTo(name, held));
    volumes.bound(pod, name);
  }

  /** Number of the first of so many GPUs in a row that no pod of the node holds. */
  private int firstFree(String node, int gpus) {
    int first = 0;
    for (PodObject pod : world.pods().all()) {
      if (pod.node().equals(node) && pod.live() && pod.held().overlaps(first, gpus)) {
        first = pod.held().first() + pod.held().count();
      }
    }
    return first;
  }

  private int room(NodeObject node, Map<String, Integer> used) {
    String name = node.meta().name();
    return node.offered() - world.devices().keptOff(name) - used.getOrDefault(name, 0);
  }

  private boolean fits(PodObject pod, NodeObject node, Map<String, Integer> used) {
    return !pod.template().excluded().contains(node.meta().name())
        && volumes.reaches(pod, node.meta().name())
        && pod.gpus() <= room(node, used)
        && NodeChoice.lets(pod.setup().needs(), node.setup())
        && !(pod.setup().needs().onePerNode() && hasAnother(pod, node.meta().name()))
        && !world.spiderpool().lacksDevice(node.meta().name());
  }

  private boolean hasAnother(PodObject pod, String node) {
    for (PodObject other : world.pods().all()) {
      if (other.node().equals(node) && other.live() && other.job().equals(pod.job())) {
        return true;
      }
    }
    return false;
  }

  private static int score(PodObject pod, NodeObject node) {
    boolean near =
        pod.template()
            .preferred()
            .getOrDefault(NodeObject.LEAF, List.of())
            .contains(node.setup().leaf());
    boolean named = pod.template().planned().contains(node.meta().name());
    boolean planned = named && isPlanned(pod);
    boolean avoided =
        (named && !planned)
            || (pod.template().avoided().contains(node.meta().name())
                && !(planned && pod.template().forMaster()));
    return (planned ? PLANNED : 0) + (avoided ? 0 : UNAVOIDED) + (near ? NEAR : 0);
  }

  private void unschedulable(PodObject pod) {
    Failure failure =
        new Failure("Unschedulable", false, "no node is free, fit and allowed for this pod");
    if (!failure.equals(pod.status().failure())) {
      world
          .pods()
          .patch(
              pod.meta().key(),
              p -> p.with(new PodObject.Status(Phase.PENDING, false, false, 0, null, failure)));
    }
  }
}
