package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.simulator.world.FaultObject;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 76: no recovery blames a node for a fault of a GPU that its gang does not hold. Bound:
 * each pod of the gang on the node has shown for {@link #UNDER_WAY} which GPUs it holds, and each
 * fault of the node names its GPU. Why: jobs share nodes, and one GPU that fails is no reason to
 * restart them all.
 */
final class OwnGpus extends Check {
  OwnGpus(World world, Invariants all) {
    super(world, all, Invariant.OWN_GPUS);
  }

  @Override
  public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
    Cause now = after == null ? null : after.cause();
    JobObject job = jobOf(before).orElse(null);
    if (now == null || job == null) {
      return;
    }
    List<String> known = blamed(before.status());
    for (String node : now.faultyNodes()) {
      if (!known.contains(node) && isOfOthers(job, node)) {
        broken(
            job.key(),
            "recovery %s of job %s is for %s on node %s, of a GPU that no pod of it holds"
                .formatted(before.meta().key(), job.key(), now.reason(), node));
      }
    }
  }

  private static List<String> blamed(@Nullable RecoveryStatus status) {
    Cause cause = status == null ? null : status.cause();
    return cause == null ? List.of() : cause.faultyNodes();
  }

  private boolean isOfOthers(JobObject job, String node) {
    List<PodObject> there =
        world.podsOf(job).stream().filter(pod -> pod.node().equals(node)).toList();
    List<FaultObject> faults =
        world.faults().list().stream()
            .filter(fault -> fault.view().active() && fault.view().node().equals(node))
            .toList();
    return !there.isEmpty()
        && !faults.isEmpty()
        && there.stream()
            .allMatch(
                pod ->
                    pod.view().devices().known()
                        && longAgo(pod.meta().created())
                        && faults.stream().allMatch(fault -> isOfAnother(pod, fault)));
  }

  private static boolean isOfAnother(PodObject pod, FaultObject fault) {
    String uuid = fault.view().deviceUuid();
    return !uuid.isEmpty() && !pod.view().devices().held().contains(uuid);
  }
}
