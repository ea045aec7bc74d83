package dev.rekindle.controller.recovery;

import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.telemetry.Metrics;
import dev.rekindle.logging.LogKey;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes events on jobs that are not recovered, but not one for each reconcile: at once, again
 * after five minutes, because a single Event may be lost, and then every hour as long as the
 * condition lasts. Later where its namespace has many of them ({@link EventShare}).
 */
final class JobEvents {
  private static final Logger LOG = LoggerFactory.getLogger(JobEvents.class);
  private static final Duration SOON = Duration.ofMinutes(5);
  private static final Duration AGAIN = Duration.ofHours(1);

  private final ClusterGateway gateway;
  private final Metrics metrics;
  private final InstantSource clock;

  /** The last refusal of each job. */
  private final Map<JobKey, Recorded> refused = new ConcurrentHashMap<>();

  /** Jobs with annotations that count for nothing. */
  private final Map<JobKey, Recorded> foreign = new ConcurrentHashMap<>();

  private final Map<JobKey, Recorded> overdue = new ConcurrentHashMap<>();

  private final Map<JobKey, Recorded> unseen = new ConcurrentHashMap<>();

  private final EventShare share = new EventShare();

  private record Recorded(String uid, Reason reason, Instant again) {
    private boolean same(String otherUid, Reason otherReason) {
      return uid.equals(otherUid) && reason == otherReason;
    }

    /** Where the clock was set back, the time to record it again may be far away. */
    private boolean isDue(Instant now) {
      return again.isBefore(now) || again.isAfter(now.plus(AGAIN));
    }
  }

  JobEvents(ClusterGateway gateway, Metrics metrics, InstantSource clock) {
    this.gateway = gateway;
    this.metrics = metrics;
    this.clock = clock;
  }

  /** A job is not recovered. Nothing is recorded where that was the last event, not long ago. */
  void refused(JobKey key, String uid, Reason reason, String message) {
    if (writeIfDue(refused, key, uid, reason, message)) {
      metrics.recoveries().refused(reason);
    }
  }

  /** Annotations and labels of a job were made for another job. The job is recovered as usual. */
  void copiedAnnotations(JobView job) {
    String message =
        "%s: made for another job or by an earlier version; they count for nothing%s"
            .formatted(
                String.join(", ", job.copiedAnnotations()),
                job.suspended() && job.suspendedBy().isEmpty()
                    ? ". The job counts as suspended by its user"
                    : "");
    var _ = writeIfDue(foreign, job.key(), job.uid(), Reason.COPIED_ANNOTATIONS, message);
  }

  /** The steps of a job are not seen: said again, as an API server keeps events for an hour. */
  void stepsNotSeen(JobKey key, String uid, String message) {
    var _ = writeIfDue(unseen, key, uid, Reason.STEPS_NOT_SEEN, message);
  }

  /** A save is overdue. Nothing is refused because of it. */
  void saveOverdue(JobKey key, String uid, String message) {
    var _ = writeIfDue(overdue, key, uid, Reason.CHECKPOINT_OVERDUE, message);
  }

  /** No save of the job is overdue: the next one that is is recorded at once. */
  void saveNotOverdue(JobKey key) {
    overdue.remove(key);
  }

  /** Returns whether it was written. */
  private boolean writeIfDue(
      Map<JobKey, Recorded> recorded, JobKey key, String uid, Reason reason, String message) {
    Instant now = clock.instant();
    Recorded last = recorded.get(key);
    boolean again = last != null && last.same(uid, reason);
    boolean due = (last == null || !again || last.isDue(now)) && share.take(key.namespace(), now);
    if (due) {
      recorded.put(key, new Recorded(uid, reason, now.plus(again ? AGAIN : SOON)));
      write(key, uid, reason, message);
    }
    return due;
  }

  private void write(JobKey key, String uid, Reason reason, String message) {
    LOG.atWarn()
        .addKeyValue(LogKey.JOB.key(), key)
        .addKeyValue(LogKey.REASON.key(), reason.word())
        .addKeyValue(LogKey.DETAIL.key(), message)
        .log("Event on a job");
    gateway.recordEvent(new ClusterEvent(key, uid, reason, message, ""));
  }

  /** The job is recovered, or came back by itself: the next refusal is recorded at once. */
  void acted(JobKey key) {
    refused.remove(key);
  }

  /** The job is gone. */
  void forget(JobKey key) {
    refused.remove(key);
    foreign.remove(key);
    overdue.remove(key);
    unseen.remove(key);
  }
}
