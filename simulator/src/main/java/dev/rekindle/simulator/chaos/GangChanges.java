package dev.rekindle.simulator.chaos;

import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.Storage;
import dev.rekindle.simulator.world.World;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What has become of the gangs of jobs by others' hands: another number of ranks, other nodes. What
 * was before that no object shows.
 */
final class GangChanges {
  private final World world;

  /** UIDs of jobs that have had another number of ranks. */
  private final Set<String> resized = new HashSet<>();

  /** By UID of a job, the node of the last pod of each rank; empty while it has none. */
  private final Map<String, Map<Integer, String>> nodes = new HashMap<>();

  GangChanges(World world) {
    this.world = world;
    world.jobs().watch(this::jobChanged);
    world.pods().watch(this::podChanged);
  }

  private void jobChanged(Change<JobObject> change) {
    JobObject before = change.before();
    JobObject after = change.after();
    if (before != null && after != null && before.setup().ranks() != after.setup().ranks()) {
      resized.add(after.meta().uid());
    }
  }

  private void podChanged(Change<PodObject> change) {
    PodObject pod = change.after();
    if (pod != null) {
      nodes.computeIfAbsent(pod.meta().owner(), _ -> new TreeMap<>()).put(pod.rank(), pod.node());
    }
  }

  /** Whether the job has had another number of ranks. */
  boolean isResized(JobObject job) {
    return resized.contains(job.meta().uid());
  }

  /** Whether the last rank 0 of the job was on a node with one of these disks. */
  boolean isLeaderOn(JobObject job, Collection<String> disks) {
    String node = nodes.getOrDefault(job.meta().uid(), Map.of()).getOrDefault(0, "");
    return !node.isEmpty() && disks.contains(Storage.diskOf(world.machine(node)));
  }

  /** Whether the last pods of the job were on all nodes with these disks. */
  boolean wereOnAll(JobObject job, Collection<String> disks) {
    Set<String> left = new HashSet<>(disks);
    nodes
        .getOrDefault(job.meta().uid(), Map.of())
        .values()
        .forEach(node -> left.remove(node.isEmpty() ? "" : Storage.diskOf(world.machine(node))));
    return left.isEmpty();
  }
}
