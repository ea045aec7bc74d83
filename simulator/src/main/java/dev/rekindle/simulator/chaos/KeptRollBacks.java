package dev.rekindle.simulator.chaos;

import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RollBack;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 73: a recovery that has sent its job back to an earlier checkpoint says so until it
 * ends. Bound: a controller that cannot see yet that the job was started may take it back while the
 * recovery resumes the job. Why: later recoveries skip the abandoned checkpoints by this record
 * alone.
 */
final class KeptRollBacks extends Check {
  /**
   * By UID of a recovery that has started a gang from an earlier checkpoint, what it has given up.
   */
  private final Map<String, RollBack> done = new HashMap<>();

  KeptRollBacks(World world, Invariants all) {
    super(world, all, Invariant.KEPT_ROLL_BACKS);
  }

  @Override
  public void wrote(JobObject before, JobObject after, String verb, String recovery) {
    if (verb.equals("resume")) {
      world.recoveries().find(before.key().namespace() + "/" + recovery).ifPresent(this::starts);
    }
  }

  @Override
  public void begins(JobKey key, String generation, JobObject.Template template, long from) {
    world
        .jobs()
        .find(key.toString())
        .flatMap(this::orderOf)
        .filter(order -> order.generation().equals(generation))
        .map(OrderObject::recovery)
        .flatMap(world.recoveries()::find)
        .ifPresent(this::starts);
  }

  private void starts(RecoveryObject recovery) {
    PinnedCheckpoint pin = pin(recovery.status());
    RollBack given = pin == null ? null : pin.rollBack();
    if (given != null) {
      done.put(recovery.meta().uid(), given);
    }
  }

  @Override
  public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
    String uid = before.meta().uid();
    RollBack given = done.get(uid);
    PinnedCheckpoint pin = pin(after);
    RecoveryStatus was = before.status();
    if (given == null || was == null || isOver(was) || pin == null || pin.rollBack() != null) {
      return;
    }
    if (was.phase() == RecoveryPhase.RESUMING) {
      done.remove(uid);
      return;
    }
    broken(
        before.view().job(),
        "recovery %s has sent its job back from step %d to step %d, and does not say so any more"
            .formatted(before.meta().key(), given.from(), given.to()));
  }

  private static @Nullable PinnedCheckpoint pin(@Nullable RecoveryStatus status) {
    return status == null || status.plan() == null ? null : status.plan().checkpoint();
  }
}
