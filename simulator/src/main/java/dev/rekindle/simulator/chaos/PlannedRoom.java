package dev.rekindle.simulator.chaos;

import dev.rekindle.api.PlacementPlan;
import dev.rekindle.api.PlacementPlan.Replacement;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeChoice;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 37: a node has room for the pods that a plan puts on it, beside all pods that stay
 * there, is not cordoned, and has no fault that was known for long; and no gang is resumed where
 * the nodes that take pods have no room for it. Bound: nothing about it has changed for half a
 * minute, nor what the job requests (seed 78005015). A node that does not reach the volume of rank
 * 0 has no room for rank 0. Why: the gang stays frozen for a pod that cannot be scheduled.
 */
final class PlannedRoom extends Check {
  private static final Duration HEARD = Duration.ofSeconds(30);

  private final Places places;
  private final Evidence evidence;

  PlannedRoom(World world, Invariants all, Places places, Evidence evidence) {
    super(world, all, Invariant.PLANNED_ROOM);
    this.places = places;
    this.evidence = evidence;
  }

  @Override
  public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
    PlacementPlan plan = PlanChange.of(before, after);
    JobObject job = jobOf(before).orElse(null);
    if (plan == null || job == null) {
      return;
    }
    Set<String> leaving =
        plan.replacements().stream().map(Replacement::pod).collect(Collectors.toSet());
    for (String name : plan.nodes()) {
      NodeObject node = world.nodes().find(name).orElse(null);
      long come = plan.replacements().stream().filter(move -> move.to().equals(name)).count();
      if (node != null && places.isSteadyFor(node, HEARD) && places.isSteady(job)) {
        if (node.unschedulable() && come > 0) {
          broken(
              "%d pods of job %s are to go to %s, which is cordoned: %s"
                  .formatted(come, job.key(), name, plan));
        }
        if (come > 0 && evidence.knownFaulty(name, now())) {
          broken(
              "%d pods of job %s are to go to %s, which is faulty: %s"
                  .formatted(come, job.key(), name, plan));
        }
        if (come > 0 && !NodeChoice.lets(job.setup().needs(), node.setup())) {
          broken(
              "%d pods of job %s are to go to %s, which its templates keep them off: %s"
                  .formatted(come, job.key(), name, plan));
        }
        if (!places.reaches(node, job)
            && plan.replacements().stream()
                .anyMatch(move -> move.to().equals(name) && Places.isRankZero(move.pod()))) {
          broken(
              "rank 0 of job %s is to go to %s, which does not reach its volume: %s"
                  .formatted(job.key(), name, plan));
        }
        long used = used(node, job, leaving);
        if (used + come * job.setup().gpusPerRank() > node.offered()) {
          broken(
              "%d pods of job %s are to go to %s, which has %d GPUs, %d of them in use: %s"
                  .formatted(come, job.key(), name, node.offered(), used, plan));
        }
      }
    }
  }

  @Override
  public void wrote(JobObject before, JobObject after, String verb, String recovery) {
    if (!verb.equals("resume") || !places.isSteady(before)) {
      return;
    }
    int room = 0;
    int atVolume = 0;
    for (NodeObject node : world.nodes().all()) {
      // What has just changed may have been as good as it can be.
      int here =
          places.isSteadyFor(node, HEARD)
              ? places.room(node, before, /* beside= */ false)
              : Places.most(node, before);
      room += here;
      atVolume += places.reaches(node, before) ? here : 0;
    }
    if (atVolume == 0 && room > 0 && places.deletedLately() == 0) {
      broken(
          before.key(),
          "recovery %s resumes job %s, and no node that reaches the volume of rank 0 has room for it"
              .formatted(recovery, before.key()));
    }
    if (room < before.setup().ranks() && places.deletedLately() == 0) {
      broken(
          before.key(),
          "recovery %s resumes job %s, and there is room for %d of its %d ranks"
              .formatted(recovery, before.key(), room, before.setup().ranks()));
    }
  }

  private long used(NodeObject node, JobObject job, Set<String> leaving) {
    long used = 0;
    for (PodObject pod : world.pods().list("spec.nodeName", node.meta().name())) {
      boolean goes =
          pod.meta().owner().equals(job.meta().uid()) && leaving.contains(pod.meta().name());
      used += pod.live() && !goes ? pod.gpus() : 0;
    }
    return used;
  }
}
