package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.TrainingProgress;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 26: if a recovery ends because there is nothing to recover from, that is true: no other
 * one begins for the job right after it, unless there is a new event. Bound: within a second, and
 * within three minutes where the gang had stood for a minute, where no pod of the job, no node and
 * no fault has changed for {@link #HEARD} before the end. Why: a record that falsely says that the
 * signal is gone misleads its reader. A recovery must also not end so while a container of the job
 * has ended and no step was made since.
 */
final class TrueCancels extends Check {
  private static final Duration RIGHT_AFTER = Duration.ofSeconds(1);
  private static final Duration STANDING = Duration.ofMinutes(3);

  /** A gang without steps for less than this is not stalled, also at its start. */
  private static final Duration STALLED = Duration.ofMinutes(1);

  /** The maximum age of a list from a replica that is behind, or of a late watch. */
  private static final Duration HEARD = Duration.ofSeconds(10);

  /**
   * A recovery that ended because there was no signal any more.
   *
   * @param recovery its name
   * @param at when
   * @param quiet whether nothing had changed for so long that every watch has shown it
   */
  private record Cancelled(String recovery, Instant at, boolean quiet) {}

  private final Map<String, Cancelled> cancelled = new HashMap<>();

  /** When a pod of a job last changed, by UID of the job. */
  private final Map<String, Instant> changed = new HashMap<>();

  private Instant anyChange = Instant.MIN;

  TrueCancels(World world, Invariants all) {
    super(world, all, Invariant.TRUE_CANCELS);
    world.pods().watch(change -> changed.put(change.object().meta().owner(), now()));
    world.jobs().watch(change -> changed.put(change.object().meta().uid(), now()));
    world.nodes().watch(_ -> anyChange = now());
    world.faults().watch(_ -> anyChange = now());
    world.policies().watch(_ -> anyChange = now());
  }

  @Override
  public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
    if (after == null || before.status() != null) {
      return;
    }
    String uid = before.spec().jobUid();
    if (isForNothing(after)) {
      jobOf(before)
          .filter(this::waitsForItsKubelets)
          .ifPresent(
              job ->
                  broken(
                      job.key(),
                      "recovery %s ends, as nothing is the matter; containers of job %s have ended"
                          .formatted(before.meta().key(), job.key())));
      boolean quiet = last(uid).plus(HEARD).isBefore(now());
      cancelled.put(uid, new Cancelled(before.meta().name(), now(), quiet));
    } else if (after.comeBacks() != null) {
      // The message says first that the gang came back on its own, and hides other reasons (seed
      // 94829874).
      cancelled.remove(uid);
    } else if (!isSeenAtWork(after)) {
      begins(before, uid);
    }
  }

  /** Whether a container ended so long ago that every watch has shown it, and no step was made. */
  private boolean waitsForItsKubelets(JobObject job) {
    TrainingProgress training = world.gang(job.meta().uid()).training();
    if (mode(job).isEmpty()
        || job.suspend()
        || !job.queue().isEmpty()
        || job.status().finish() != Finish.NOT_FINISHED
        || training.moving()
        || open(job).size() > 1
        || !prints(job)) {
      return false;
    }
    if (!changed.getOrDefault(job.meta().uid(), Instant.MIN).plus(HEARD).isBefore(now())) {
      return false;
    }
    for (PodObject pod : world.podsOf(job)) {
      Instant exit = pod.status().lastExit();
      if (pod.live() && exit != null && exit.isAfter(training.lastStep())) {
        return true;
      }
    }
    return false;
  }

  private boolean prints(JobObject job) {
    return world.podsOf(job).stream()
        .map(pod -> world.ranks().find(pod.meta().key()).orElse(null))
        .anyMatch(report -> report != null && report.view().lastStep() != null);
  }

  /** A loss of NaN shows only after a gang has come back on its own (seed 94748531). */
  private static boolean isSeenAtWork(RecoveryStatus status) {
    return status.cause() != null
        && status.cause().reason().equals(RecoveryStatus.Cause.LOSS_NOT_FINITE);
  }

  private static boolean isForNothing(RecoveryStatus status) {
    return status.phase() == RecoveryPhase.CANCELLED
        && status.cause() != null
        && status.cause().reason().equals("None");
  }

  private Instant last(String jobUid) {
    Instant own = changed.getOrDefault(jobUid, Instant.MIN);
    return own.isAfter(anyChange) ? own : anyChange;
  }

  /** Whether the gang had made no step for so long that it was stalled when that recovery ended. */
  private boolean stood(String uid, Cancelled ended) {
    return world.gang(uid).training().lastStep().plus(STALLED).isBefore(ended.at());
  }

  private void begins(RecoveryObject recovery, String uid) {
    Cancelled ended = cancelled.get(uid);
    if (ended != null
        && ended.quiet()
        && !ended.at().plus(stood(uid, ended) ? STANDING : RIGHT_AFTER).isBefore(now())
        && !last(uid).isAfter(ended.at())) {
      broken(
          "recovery %s ended at %s, as there was nothing to recover from; now %s begins"
              .formatted(ended.recovery(), ended.at(), recovery.meta().name()));
    }
  }
}
