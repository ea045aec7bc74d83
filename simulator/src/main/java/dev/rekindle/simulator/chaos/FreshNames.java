package dev.rekindle.simulator.chaos;

import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * Invariant 26: the name of a recovery that has written to its job is never used for another one of
 * that job, whoever deletes the first. Bound: {@link #HEARD} after the last write, since a leader
 * may not have seen it yet. Why: pods are distinguished by the attempt, and that is made from the
 * name; a new generation with the mark of an old one is taken for it. One that has only restarted
 * in place leaves no mark.
 */
final class FreshNames extends Check {
  /** A leader is behind by so much at most where no watch is broken. */
  private static final Duration HEARD = Duration.ofSeconds(5);

  /** A name, of recoveries of the job with that UID. */
  private record Name(String jobUid, String recovery) {}

  /** When a recovery of the name last wrote to its job. */
  private final Map<Name, Instant> written = new HashMap<>();

  FreshNames(World world, Invariants all) {
    super(world, all, Invariant.FRESH_NAMES);
  }

  @Override
  public void wrote(JobObject before, JobObject after, String verb, String recovery) {
    written.put(new Name(before.meta().uid(), recovery), now());
  }

  @Override
  public void opened(RecoveryObject recovery) {
    String name = recovery.meta().name();
    Instant last = written.get(new Name(recovery.spec().jobUid(), name));
    if (last != null && last.plus(HEARD).isBefore(now()) && exists(recovery)) {
      broken(
          "job %s has had a recovery %s, which last wrote to it at %s"
              .formatted(recovery.view().job(), name, last));
    }
  }

  /** Of a job that is gone nobody has pods to distinguish. */
  private boolean exists(RecoveryObject recovery) {
    return world
        .jobs()
        .find(recovery.view().job().toString())
        .filter(job -> job.meta().uid().equals(recovery.spec().jobUid()))
        .isPresent();
  }
}
