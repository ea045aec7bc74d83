package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.simulator.process.Answers;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 82: in the calm a restarted gang whose PodGroup the scheduler has put aside is placed
 * soon after there is room for it. Bound: the longest pause between two calls, and fifteen seconds
 * for another leader; no call for the gang is refused permanently. Why: by itself the scheduler
 * plugin Coscheduling tries again after five minutes.
 */
final class WaitingGroups extends Check {
  private static final Duration BOUND = Duration.ofSeconds(75);

  private final Answers answers;
  private final Places places;
  private final BooleanSupplier led;
  private final Overdue overdue = new Overdue(this);

  WaitingGroups(World world, Invariants all, Answers answers, Places places, BooleanSupplier led) {
    super(world, all, Invariant.WAITING_GROUPS);
    this.answers = answers;
    this.places = places;
    this.led = led;
  }

  @Override
  void look() {
    for (JobObject job : world.jobs().all()) {
      String uid = job.meta().uid();
      if (!led.getAsBoolean() || clocksWereWrong() || !waits(job)) {
        overdue.end(uid);
      } else if (overdue.lasts(uid, BOUND)) {
        broken(
            job.key(),
            "the PodGroup of job %s is put aside since %s, and there is room for it"
                .formatted(job.key(), overdue.since(uid)));
      }
    }
  }

  private boolean waits(JobObject job) {
    if (job.suspend()
        // Rank 0 may wait for the node with its volume (seed 3750).
        || job.setup().volumeNodes() > 0
        || !answers.forGood(job.key()).isEmpty()
        || world.podGroups().of(job).filter(world.podGroups()::isAside).isEmpty()
        || open(job).stream().map(RecoveryObject::status).noneMatch(WaitingGroups::isVerifying)) {
      return false;
    }
    List<PodObject> waiting =
        world.podsOf(job).stream()
            .filter(pod -> pod.live() && !pod.meta().terminating() && pod.node().isEmpty())
            .toList();
    if (waiting.stream().anyMatch(pod -> pod.gpus() != job.setup().gpusPerRank())) {
      // Of a template that was edited since (seed 99483).
      return false;
    }
    long room = 0;
    for (NodeObject node : world.nodes().all()) {
      room +=
          job.template().excluded().contains(node.meta().name()) ? 0 : places.room(node, job, true);
    }
    return !waiting.isEmpty() && room >= waiting.size();
  }

  private static boolean isVerifying(@Nullable RecoveryStatus status) {
    return status != null && status.phase() == RecoveryPhase.VERIFYING;
  }

  @Override
  boolean isWaiting() {
    return !overdue.isEmpty();
  }
}
