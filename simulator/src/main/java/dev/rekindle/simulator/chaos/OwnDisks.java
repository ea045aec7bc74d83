package dev.rekindle.simulator.chaos;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.FormerRun;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.Machine;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.Storage;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * Invariant 72, of jobs whose rank 0 alone saves, to a disk of its node: a gang that is started
 * again goes to what that disk has. Nothing is pinned that another node has, rank 0 is taken to the
 * node that has the newest, and where that node cannot be used, and no other has anything, the job
 * stays stopped. Bound: {@link #AWAY} for the node, and nothing is asked where no save was logged
 * or no inspector has reported. Why: a script that finds nothing on its disk begins anew and says
 * nothing.
 */
final class OwnDisks extends Check {
  private static final String NOT_REPORTED = "the inspector did not report";

  /** A node that is not Ready for so long was so when the inspectors were placed. */
  private static final Duration AWAY = Duration.ofSeconds(20);

  private final Checkpoints checkpoints;

  OwnDisks(World world, Invariants all, Checkpoints checkpoints) {
    super(world, all, Invariant.OWN_DISK);
    this.checkpoints = checkpoints;
  }

  @Override
  public void wrote(JobObject before, JobObject after, String verb, String recovery) {
    if (!verb.equals("resume") || !before.setup().rankZeroSaves()) {
      return;
    }
    Storage storage = world.gang(before.meta().uid()).training().storage();
    PinnedCheckpoint pin =
        world
            .recoveries()
            .find(before.key().namespace() + "/" + recovery)
            .map(RecoveryObject::status)
            .map(RecoveryStatus::plan)
            .map(RecoveryStatus.Plan::checkpoint)
            .orElse(null);
    Optional<String> home = home(storage);
    if (pin == null
        || home.isEmpty()
        || storage.newestValid(now()) == 0
        || checkpoints.tornLately(before.key())) {
      return;
    }
    if (!pin.nodes().isEmpty() && storage.isOnlyOn(home.get())) {
      goesHome(before, after, pin, home.get());
    }
    if (isAway(home.get())
        && !pin.nodes().contains(home.get())
        && storage.isOnlyOn(home.get())
        && pin.verdict() != CheckpointVerdict.VALID
        && !pin.message().startsWith(NOT_REPORTED)
        && hasLogged(before, recovery)) {
      broken(
          before.key(),
          "job %s is started again, and node %s has its only checkpoints and is away: %s"
              .formatted(before.key(), home.get(), pin.message()));
    }
  }

  private void goesHome(JobObject job, JobObject after, PinnedCheckpoint pin, String home) {
    if (!pin.nodes().contains(home)) {
      broken(
          job.key(),
          "job %s is taken to %s, and its checkpoints are on %s"
              .formatted(job.key(), pin.nodes(), home));
    } else if (job.queue().isEmpty()
        && pin.verdict() == CheckpointVerdict.UNKNOWN
        && !(after.template().forMaster() && after.template().planned().contains(home))) {
      broken(
          job.key(),
          "job %s is started again, and rank 0 does not prefer %s, which has its checkpoints"
              .formatted(job.key(), home));
    }
  }

  /** The node whose disk rank 0 has used last, if that is still in it. */
  private Optional<String> home(Storage storage) {
    Set<String> disks = storage.disks();
    return world.machines().stream()
        .filter(machine -> disks.equals(Set.of(Storage.diskOf(machine))))
        .map(Machine::name)
        .findFirst();
  }

  /** Whether the node has not been Ready for a while. */
  private boolean isAway(String node) {
    return world
        .nodes()
        .find(node)
        .filter(n -> n.readiness() == Readiness.READY || !n.since().plus(AWAY).isBefore(now()))
        .isEmpty();
  }

  private boolean hasLogged(JobObject job, String recovery) {
    return world
        .recoveries()
        .find(job.key().namespace() + "/" + recovery)
        .map(RecoveryObject::status)
        .map(RecoveryStatus::cause)
        .map(RecoveryStatus.Cause::before)
        .map(FormerRun::saves)
        .filter(saves -> saves.saves() > 0)
        .isPresent();
  }
}
