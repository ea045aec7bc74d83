package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.simulator.world.Gang;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.World;
import java.time.Instant;
import java.util.Optional;

/** Whether a job is, or was of late, in any trouble that a recovery could be for. */
final class Trouble {
  private final World world;
  private final Evidence evidence;

  Trouble(World world, Evidence evidence) {
    this.world = world;
    this.evidence = evidence;
  }

  /** Whether anything has gone wrong with the job since then that a recovery could be for. */
  boolean since(JobObject job, Instant since) {
    Gang gang = world.gang(job.meta().uid());
    Optional<Instant> moving = gang.training().movingSince();
    if (moving.isEmpty()
        || moving.get().isAfter(since)
        || job.suspend()
        || gang.processes().asksForRestart()
        || gang.training().poisoned()
        || job.status().finish() == Finish.FAILED) {
      return true;
    }
    for (PodObject pod : world.podsOf(job)) {
      if (!pod.live()
          || evidence.faulty(pod.node())
          || evidence.mayLookFlaky(pod.node())
          || evidence.replacedLately(pod.node())) {
        return true;
      }
    }
    return false;
  }
}
