package dev.rekindle.simulator.chaos;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.Machine;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.Storage;
import dev.rekindle.simulator.world.World;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Invariant 81, of jobs whose nodes keep the parts of their ranks: a recovery says that the part of
 * a rank is missing, or that it is not known how many there are, only where the nodes on which the
 * gang met last do not have a complete checkpoint together. Bound: these nodes have taken pods for
 * {@link #UNDER_WAY}, and the job has the ranks that have saved. What is pinned {@link
 * LocalCheckpoints} looks at. Why: each step that is passed over is work that is done again.
 */
final class SeenParts extends Check {
  private final Checkpoints checkpoints;
  private final GangChanges changes;
  private final UsableNodes nodes;

  SeenParts(World world, Invariants all, Checkpoints checkpoints, GangChanges changes) {
    super(world, all, Invariant.SEEN_PARTS);
    this.changes = changes;
    this.checkpoints = checkpoints;
    this.nodes = new UsableNodes(world, all::now);
  }

  @Override
  public void wrote(JobObject before, JobObject after, String verb, String recovery) {
    Storage storage = world.gang(before.meta().uid()).training().storage();
    if (!verb.equals("resume") || storage.ranks() == 0 || checkpoints.tornLately(before.key())) {
      return;
    }
    if (changes.isResized(before) || !changes.wereOnAll(before, storage.disks())) {
      // Of a gang that others have changed nothing shows what it was (seeds 16451 and 19090).
      return;
    }
    long newest = storage.copies(now()).newest(storage.disks());
    world
        .recoveries()
        .find(before.key().namespace() + "/" + recovery)
        .map(RecoveryObject::status)
        .map(RecoveryStatus::plan)
        .map(RecoveryStatus.Plan::checkpoint)
        .filter(pin -> pin.verdict() != CheckpointVerdict.VALID)
        .map(PinnedCheckpoint::message)
        .filter(SeenParts::saysMissing)
        .filter(_ -> newest > 0 && storage.ranks() == ranks(before) && areUsable(storage))
        .ifPresent(
            message ->
                broken(
                    before.key(),
                    "job %s is started again, all of %s have step %d together: %s"
                        .formatted(before.key(), storage.disks(), newest, message)));
  }

  private static boolean saysMissing(String message) {
    return message.contains("no whole part of rank")
        || message.contains("how many ranks there are");
  }

  private static int ranks(JobObject job) {
    return job.setup().ranks() * job.setup().gpusPerRank();
  }

  private boolean areUsable(Storage storage) {
    Set<String> left = new HashSet<>(storage.disks());
    for (Machine machine : world.machines()) {
      Optional<String> disk = Optional.of(Storage.diskOf(machine)).filter(left::remove);
      if (disk.isPresent() && !nodes.isOpen(machine.name(), UNDER_WAY)) {
        return false;
      }
    }
    return left.isEmpty();
  }
}
