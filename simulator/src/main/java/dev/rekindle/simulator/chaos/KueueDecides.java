package dev.rekindle.simulator.chaos;

import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.QueueObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;

/**
 * Invariant 32: suspension is Kueue's where Kueue admits, and no queue of it is held by us for
 * longer than two minutes. Bound: a minute more for a leader that has to be replaced.
 */
final class KueueDecides extends Check {
  private static final Duration HELD = Duration.ofMinutes(2).plus(UNDER_WAY);

  KueueDecides(World world, Invariants all) {
    super(world, all, Invariant.KUEUE_DECIDES);
    // Leases are renewed whatever else stands still.
    world.leases().watch(_ -> look());
  }

  @Override
  public void wrote(JobObject before, JobObject after, String verb, String recovery) {
    if (!before.queue().isEmpty() && before.suspend() != after.suspend()) {
      broken(
          "job %s is in queue %s and was %sed by recovery %s"
              .formatted(before.key(), before.queue(), verb, recovery));
    }
  }

  /** The way that is Kueue's own. */
  @Override
  public void deactivated(JobObject job, String recovery) {}

  @Override
  void look() {
    for (QueueObject queue : world.queueing().queues().all()) {
      Instant since = queue.heldAt();
      if (!queue.heldFor().isEmpty() && since != null && since.plus(HELD).isBefore(now())) {
        broken(
            "ClusterQueue %s is held for %s since %s"
                .formatted(queue.meta().name(), queue.heldFor(), since));
      }
    }
  }
}
