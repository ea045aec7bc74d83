package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.simulator.world.Gang;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Whether a job is, or was of late, in any trouble that a recovery could be for. */
final class Trouble {
  /** Reports of a gang that trains come at least so often, unless they are rare. */
  private static final Duration REPORTED = Duration.ofSeconds(10);

  /** So late is a watch that is broken, or a list from a replica that is behind (seed 57210). */
  private static final Duration HEARD = Duration.ofSeconds(30);

  private final World world;
  private final Evidence evidence;
  private final Supplier<Instant> clock;

  Trouble(World world, Evidence evidence, Supplier<Instant> clock) {
    this.world = world;
    this.evidence = evidence;
    this.clock = clock;
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
        || TrueNetwork.maySayNo(world, job)
        || job.status().finish() == Finish.FAILED) {
      return true;
    }
    if (isUnseen(job, gang) || cameBackUnseen(job)) {
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

  /**
   * Whether the lines of a rank are not read, or were not until just now, and of no other one a
   * step was reported of late: that the gang trains on, no report can say so (seed 78000618).
   */
  private boolean isUnseen(JobObject job, Gang gang) {
    boolean unread = false;
    boolean seen = false;
    for (PodObject pod : world.podsOf(job)) {
      if (gang.processes().isUnread(pod.meta().uid(), clock.get().minus(HEARD))) {
        unread = true;
      } else {
        Instant step =
            world
                .ranks()
                .find(pod.meta().key())
                .filter(r -> r.view().podUid().equals(pod.meta().uid()))
                .map(r -> r.view().lastStepTime())
                .orElse(null);
        seen |= step != null && step.plus(REPORTED).isAfter(clock.get());
      }
    }
    return unread && !seen;
  }

  /**
   * Whether a container has ended, and no agent has reported on the gang since it was made: the end
   * is all that there is to go by, and the peers of a rank that ended rarely continue (seed
   * 94313004).
   */
  private boolean cameBackUnseen(JobObject job) {
    List<PodObject> pods = world.podsOf(job);
    return pods.stream().anyMatch(pod -> pod.status().lastExit() != null)
        && pods.stream()
            .noneMatch(
                pod ->
                    world
                        .ranks()
                        .find(pod.meta().key())
                        .filter(r -> r.view().podUid().equals(pod.meta().uid()))
                        .isPresent());
  }
}
