package dev.rekindle.simulator.chaos;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.TrainingProgress;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.util.List;

/**
 * Invariant 80, of jobs whose rank 0 saves on a volume that some nodes reach: while none of these
 * takes pods the job stays stopped, unless its owner lets its script begin without what is there.
 * Bound: {@link #AWAY} for the nodes, and nothing is asked where there is no checkpoint, or where
 * no inspector may be started. {@link TrueHolds} looks at the hold. Why: a script that finds
 * nothing begins anew and says nothing, or its pods wait for a volume, and the attempts are used
 * up.
 */
final class BoundVolumes extends Check {
  private static final String REFUSED = "the inspector was refused";

  /** A node that takes no pods for so long took none when the checkpoint was judged. */
  private static final Duration AWAY = Duration.ofSeconds(20);

  private final UsableNodes nodes;

  BoundVolumes(World world, Invariants all) {
    super(world, all, Invariant.VOLUME_AWAY);
    this.nodes = new UsableNodes(world, all::now);
  }

  @Override
  public void wrote(JobObject before, JobObject after, String verb, String recovery) {
    TrainingProgress training = world.gang(before.meta().uid()).training();
    List<String> homes = training.homes();
    if (!verb.equals("resume") || homes.isEmpty() || before.setup().beginsUnreachable()) {
      return;
    }
    world
        .recoveries()
        .find(before.key().namespace() + "/" + recovery)
        .map(RecoveryObject::status)
        .map(RecoveryStatus::plan)
        .map(RecoveryStatus.Plan::checkpoint)
        .filter(pin -> isLeft(pin) && training.storage().newestValid(now()) > 0)
        .filter(_ -> homes.stream().allMatch(node -> nodes.isClosed(node, AWAY)))
        .ifPresent(
            pin ->
                broken(
                    before.key(),
                    "job %s is started again, and no node of %s takes pods, which alone reach its checkpoints: %s"
                        .formatted(before.key(), homes, pin.message())));
  }

  private static boolean isLeft(PinnedCheckpoint pin) {
    return pin.verdict() != CheckpointVerdict.VALID && !pin.message().startsWith(REFUSED);
  }
}
