package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.FaultObject;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeChoice;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.PoolObject;
import dev.rekindle.simulator.world.SpareObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Which nodes could take pods, and since when nothing about that has changed. */
final class Places {
  private static final String NODE = "node/";

  private final World world;
  private final Supplier<Instant> clock;
  private final Map<String, Instant> changed = new HashMap<>();

  Places(World world, Supplier<Instant> clock) {
    this.world = world;
    this.clock = clock;
    world.nodes().watch(this::node);
    world.pods().watch(this::pod);
    world.jobs().watch(this::job);
    world.spares().watch(this::spare);
    world.spiderpool().pools().watch(this::pool);
  }

  private void node(Change<NodeObject> change) {
    NodeObject before = change.before();
    NodeObject after = change.after();
    if (before == null
        || after == null
        || before.readiness() != after.readiness()
        || before.unschedulable() != after.unschedulable()
        || before.lemon() != after.lemon()
        || !Objects.equals(before.owner(), after.owner())
        || before.offered() != after.offered()
        || !before.stalls().equals(after.stalls())
        || (world.spiderpool().isInstalled() && !before.conditions().equals(after.conditions()))) {
      changed.put(NODE + change.object().meta().name(), clock.get());
    }
  }

  private void pod(Change<PodObject> change) {
    String before = place(change.before());
    String after = place(change.after());
    if (!before.equals(after)) {
      changed.put(NODE + before, clock.get());
      changed.put(NODE + after, clock.get());
    }
  }

  private void spare(Change<SpareObject> change) {
    SpareObject before = change.before();
    SpareObject after = change.after();
    if (before == null || after == null || !before.node().equals(after.node())) {
      changed.put(NODE + change.object().node(), clock.get());
    }
  }

  /** Whether there is an address left is what matters, not of whom the others are. */
  private void pool(Change<PoolObject> change) {
    PoolObject before = change.before();
    PoolObject after = change.object();
    if (before == null
        || before.setup().addresses() != after.setup().addresses()
        || (before.free() > 0) != (after.free() > 0)) {
      for (NodeObject node : world.nodes().all()) {
        if (after.isFor(node.setup().leaf())) {
          changed.put(NODE + node.meta().name(), clock.get());
        }
      }
    }
  }

  private static String place(@Nullable PodObject pod) {
    return pod == null || !pod.live() ? "" : pod.node();
  }

  private void job(Change<JobObject> change) {
    JobObject before = change.before();
    JobObject after = change.after();
    if (before == null || after == null || !before.setup().equals(after.setup())) {
      changed.put("job/" + change.object().key(), clock.get());
    }
  }

  /** Whether every watch has shown the state of the node. */
  boolean isSteady(NodeObject node) {
    return isLongAgo(NODE + node.meta().name());
  }

  /** Whether nothing about the node has changed for so long. */
  boolean isSteadyFor(NodeObject node, Duration time) {
    Instant at = changed.get(NODE + node.meta().name());
    return at == null || at.plus(time).isBefore(clock.get());
  }

  /** Deleted nodes that a process may still take for schedulable. */
  long deletedLately() {
    return changed.entrySet().stream()
        .filter(e -> e.getKey().startsWith(NODE) && !Check.longBefore(e.getValue(), clock.get()))
        .map(e -> e.getKey().substring(NODE.length()))
        .filter(name -> !name.isEmpty() && world.nodes().find(name).isEmpty())
        .count();
  }

  /** Whether every watch has shown the requests of the pods of the job. */
  boolean isSteady(JobObject job) {
    return isLongAgo("job/" + job.key());
  }

  private boolean isLongAgo(String what) {
    Instant at = changed.get(what);
    return at == null || Check.longBefore(at, clock.get());
  }

  /** Whether the node takes a pod of the job, as {@link #room} says. */
  boolean takes(NodeObject node, JobObject job, boolean beside) {
    return room(node, job, beside) > 0;
  }

  /** Whether rank 0 of the job would have its volume there. */
  boolean reaches(NodeObject node, JobObject job) {
    List<String> homes = world.gang(job.meta().uid()).training().homes();
    return homes.isEmpty() || homes.contains(node.meta().name());
  }

  /** Whether a pod of that name is rank 0. */
  static boolean isRankZero(String pod) {
    return pod.endsWith("-master-0");
  }

  /** How many pods of the job an empty node takes. */
  static int most(NodeObject node, JobObject job) {
    int most = node.setup().gpus() / Math.max(1, job.setup().gpusPerRank());
    return NodeChoice.lets(job.setup().needs(), node.setup())
        ? job.setup().needs().onePerNode() ? Math.min(1, most) : most
        : 0;
  }

  private boolean own(NodeObject node, JobObject job) {
    return world.podsOf(job).stream()
        .anyMatch(pod -> pod.live() && pod.node().equals(node.meta().name()));
  }

  /**
   * How many pods of the job the node takes.
   *
   * @param beside whether its pods that are there keep their places, and spares of others theirs
   */
  int room(NodeObject node, JobObject job, boolean beside) {
    if (node.readiness() != Readiness.READY
        || node.unschedulable()
        || node.owner() != null
        || !NodeChoice.lets(job.setup().needs(), node.setup())
        || !hasNetworks(node, beside ? Set.of() : uids(job))) {
      return 0;
    }
    int used = 0;
    for (PodObject pod : world.pods().list("spec.nodeName", node.meta().name())) {
      boolean own = pod.meta().owner().equals(job.meta().uid());
      used += pod.live() && (beside || !own) ? pod.gpus() : 0;
    }
    for (SpareObject spare : world.spares().all()) {
      boolean other = !spare.meta().owner().equals(job.meta().uid());
      used += beside && other && spare.node().equals(node.meta().name()) ? spare.gpus() : 0;
    }
    int free = Math.max(0, node.offered() - used) / Math.max(1, job.setup().gpusPerRank());
    return job.setup().needs().onePerNode()
        ? Math.min(free, beside && own(node, job) ? 0 : 1)
        : free;
  }

  /**
   * Whether nothing speaks against the node. One without RDMA may be known as such to a job that
   * requires it (seed 94424562).
   */
  boolean isFit(NodeObject node, JobObject job) {
    boolean lacksRdma = job.setup().requiresRdma() && !node.setup().rdma();
    if (node.lemon() || !node.stalls().isEmpty() || lacksRdma || !isLikeTheOthers(node, job)) {
      return false;
    }
    for (FaultObject fault : world.faults().all()) {
      if (fault.view().node().equals(node.meta().name())) {
        return false;
      }
    }
    return true;
  }

  /** Whether its labels are those of each node that has a pod of the job: of the driver, say. */
  boolean isLikeTheOthers(NodeObject node, JobObject job) {
    return world.podsOf(job).stream()
        .map(pod -> world.nodes().find(pod.node()).orElse(null))
        .filter(Objects::nonNull)
        .allMatch(other -> other.setup().labels().equals(node.setup().labels()));
  }

  /** Whether a pod of a job finds all its devices and addresses there. */
  boolean hasNetworks(NodeObject node, Set<String> leaving) {
    return !world.spiderpool().isInstalled()
        || world.spiderpool().takes(node.meta().name(), node.setup().leaf(), leaving);
  }

  private Set<String> uids(JobObject job) {
    return world.podsOf(job).stream().map(pod -> pod.meta().uid()).collect(Collectors.toSet());
  }
}
