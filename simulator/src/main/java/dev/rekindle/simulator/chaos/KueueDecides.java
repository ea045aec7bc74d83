package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.process.Answers;
import dev.rekindle.simulator.process.Answers.Call;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.QueueObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * Invariant 32: we neither suspend nor un-suspend a job that Kueue admits, and hold no queue of
 * Kueue for longer than two minutes. Bound: one minute more for a leader that is replaced, and none
 * where the API server refuses the release permanently.
 */
final class KueueDecides extends Check {
  private static final Duration HELD = Duration.ofMinutes(2).plus(UNDER_WAY);

  private final Answers answers;
  private final Map<String, Instant> held = new HashMap<>();

  KueueDecides(World world, Invariants all, Answers answers) {
    super(world, all, Invariant.KUEUE_DECIDES);
    this.answers = answers;
    world.queueing().queues().watch(this::queueChanged);
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

  /** Since when it is held, whatever the clock says that wrote so. */
  private void queueChanged(Change<QueueObject> change) {
    QueueObject queue = change.object();
    if (queue.heldFor().isEmpty()) {
      held.remove(change.key());
    } else {
      held.putIfAbsent(change.key(), now());
    }
  }

  @Override
  boolean isWaiting() {
    for (QueueObject queue : world.queueing().queues().all()) {
      if (isOurs(queue)) {
        return true;
      }
    }
    return false;
  }

  @Override
  void look() {
    for (QueueObject queue : world.queueing().queues().all()) {
      Instant since = held.get(queue.meta().key());
      if (isOurs(queue) && since != null && since.plus(HELD).isBefore(now())) {
        broken(
            "ClusterQueue %s is held for %s since %s"
                .formatted(queue.meta().name(), queue.heldFor(), since));
      }
    }
  }

  /** Held by us, and the API server lets us release it (seed 93056604). */
  private boolean isOurs(QueueObject queue) {
    JobKey holder = queue.view().holdingJob();
    return holder != null && !answers.refusedForGood(Call.RELEASE_QUEUE, holder);
  }
}
