package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.Transitions.phase;
import static dev.rekindle.controller.recovery.Transitions.status;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.QueueView;
import dev.rekindle.controller.model.QueuedJob;
import dev.rekindle.controller.model.WorkloadView;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the quota of a job that Kueue admits while the job is rebuilt. A Workload that is not
 * active holds none, and a waiting Workload gets it a moment later. So its ClusterQueue admits
 * nothing from before the job is stopped until it may be admitted again: of all that wait then it
 * is the oldest.
 *
 * <p>Others wait for that, so it is bounded: not longer than {@link #LONGEST}, not while the
 * recovery is held, and a queue that was held lately is left alone for {@link #REST}, however many
 * jobs break. Where it may not be held the job waits for quota like any other.
 */
final class QuotaHold {
  /** A drain, a scan and a start take less, unless something is the matter. */
  static final Duration LONGEST = Duration.ofMinutes(2);

  /** Since the last time, so that the queue admits for most of the time. */
  static final Duration REST = Duration.ofMinutes(10);

  private QuotaHold() {}

  /** The queue that matters to the job: one that is held for it, else the one that it is in. */
  static @Nullable QueueView queueOf(
      JobKey key, @Nullable JobView job, Collection<QueueView> queues) {
    String mine = job == null ? "" : QueuedJob.workload(job).map(WorkloadView::queue).orElse("");
    return queues.stream()
        .filter(queue -> queue.heldFor(key))
        .findFirst()
        .or(() -> queues.stream().filter(queue -> queue.name().equals(mine)).findFirst())
        .orElse(null);
  }

  /** The hold that goes before the job is stopped; nothing where there is none to be had. */
  static List<Effect> before(RecoverySnapshot s, JobView job, Instant now) {
    QueueView queue = s.queue();
    boolean holdsQuota =
        QueuedJob.workload(job)
            .filter(w -> w.quotaReserved() && queue != null && w.queue().equals(queue.name()))
            .isPresent();
    return holdsQuota
            && queue != null
            && !queue.stopped()
            && queue.heldFor().isEmpty()
            && isRested(queue, now)
            && s.failures().of(CallKind.HOLD_QUEUE, now).isEmpty()
        ? List.of(new Effect.HoldQueue(queue.name()))
        : List.of();
  }

  /** The end of the hold, once the job waits for admission. */
  static List<Effect> after(RecoverySnapshot s) {
    QueueView queue = s.queue();
    return queue != null && queue.heldFor(s.recovery().job())
        ? List.of(new Effect.ReleaseQueue(queue.name()))
        : List.of();
  }

  /** The decision, unless a hold is to end first. */
  static Decision endedFirst(RecoverySnapshot s, Decision wanted, Instant now) {
    List<Effect> release = after(s);
    if (release.isEmpty() || isWanted(s, now)) {
      return wanted;
    }
    Optional<EffectFailure> failed = s.failures().of(CallKind.RELEASE_QUEUE, now);
    return failed.isPresent() && !s.failures().mayAsk(CallKind.RELEASE_QUEUE, now)
        ? wanted
        : new Decision.Act(release, Transitions.SOON);
  }

  private static boolean isWanted(RecoverySnapshot s, Instant now) {
    RecoveryPhase phase = status(s).phase();
    Instant since = s.queue() == null ? null : s.queue().heldAt();
    boolean rebuilds =
        status(s).plan() != null && !InPlace.chosen(s) && phase(s) != RecoveryPhase.VERIFYING;
    return rebuilds
        && phase != RecoveryPhase.HELD
        && !phase(s).isTerminal()
        && since != null
        // Where the clock that wrote it was ahead, the hold is not longer for that.
        && Duration.between(since, now).abs().compareTo(LONGEST) <= 0;
  }

  /** A clock that was set back is no reason to hold it again. */
  private static boolean isRested(QueueView queue, Instant now) {
    Instant last = queue.heldAt();
    return last == null || Duration.between(last, now).compareTo(REST) > 0;
  }
}
