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
 * Says what is wrong with a job, and not in every reconcile: at once, again after five minutes,
 * since an Event is written once and may be lost, and then each hour for as long as it stands. What
 * is no trouble is said once.
 */
final class Sayings {
  private static final Logger LOG = LoggerFactory.getLogger(Sayings.class);
  private static final Duration SOON = Duration.ofMinutes(5);
  private static final Duration AGAIN = Duration.ofHours(1);

  private final ClusterGateway gateway;
  private final Metrics metrics;
  private final InstantSource clock;
  private final Map<JobKey, Said> said = new ConcurrentHashMap<>();
  private final Map<JobKey, Said> ofMarks = new ConcurrentHashMap<>();

  /** Jobs of which it was said that their steps are not seen, with their UIDs. */
  private final Map<JobKey, String> unseen = new ConcurrentHashMap<>();

  private final Map<JobKey, Said> ofSaves = new ConcurrentHashMap<>();

  private record Said(String uid, Reason reason, Instant again) {
    private boolean same(String otherUid, Reason otherReason) {
      return uid.equals(otherUid) && reason == otherReason;
    }

    /** Where the clock was set back, the time to say it again may be far away. */
    private boolean isDue(Instant now) {
      return again.isBefore(now) || again.isAfter(now.plus(AGAIN));
    }
  }

  Sayings(ClusterGateway gateway, Metrics metrics, InstantSource clock) {
    this.gateway = gateway;
    this.metrics = metrics;
    this.clock = clock;
  }

  /** Says it, unless it was the last thing said of the job, and not long ago. */
  void say(JobKey key, String uid, Reason reason, String message) {
    say(said, key, uid, reason, message);
  }

  /** Says that marks on the job are not its own. It says nothing of what is done to the job. */
  void sayOfMarks(JobView job) {
    say(
        ofMarks,
        job.key(),
        job.uid(),
        Reason.FOREIGN_MARKS,
        "%s: made for another job or by an earlier version; they count for nothing%s"
            .formatted(
                String.join(", ", job.foreignMarks()),
                job.suspended() && job.suspendedBy().isEmpty()
                    ? ". The job counts as suspended by its user"
                    : ""));
  }

  /** Says once that the steps of a job are not seen. It says nothing of what is done to it. */
  void sayOfSteps(JobKey key, String uid, String message) {
    if (!uid.equals(unseen.put(key, uid))) {
      LOG.atWarn()
          .addKeyValue(LogKey.JOB.key(), key)
          .addKeyValue(LogKey.REASON.key(), Reason.STEPS_NOT_SEEN.word())
          .addKeyValue(LogKey.DETAIL.key(), message)
          .log("Event on a job");
      gateway.recordEvent(new ClusterEvent(key, uid, Reason.STEPS_NOT_SEEN, message, ""));
    }
  }

  /** Says that a save is overdue, for as long as that stands; nothing is refused by it. */
  void sayOfSaves(JobKey key, String uid, String message) {
    var _ = sayAgain(ofSaves, key, uid, Reason.CHECKPOINT_OVERDUE, message);
  }

  /** No save of the job is overdue: the next one that is will be said at once. */
  void savesAgain(JobKey key) {
    ofSaves.remove(key);
  }

  private void say(Map<JobKey, Said> said, JobKey key, String uid, Reason reason, String message) {
    if (sayAgain(said, key, uid, reason, message)) {
      metrics.refused(reason);
    }
  }

  /** Says it if it is time to; whether it was. */
  private boolean sayAgain(
      Map<JobKey, Said> said, JobKey key, String uid, Reason reason, String message) {
    Instant now = clock.instant();
    Said last = said.get(key);
    boolean again = last != null && last.same(uid, reason);
    boolean due = last == null || !again || last.isDue(now);
    if (due) {
      said.put(key, new Said(uid, reason, now.plus(again ? AGAIN : SOON)));
      LOG.atWarn()
          .addKeyValue(LogKey.JOB.key(), key)
          .addKeyValue(LogKey.REASON.key(), reason.word())
          .addKeyValue(LogKey.DETAIL.key(), message)
          .log("Event on a job");
      gateway.recordEvent(new ClusterEvent(key, uid, reason, message, ""));
    }
    return due;
  }

  /**
   * Something is done about the job: what was said of it before is no answer to what comes next.
   */
  void acted(JobKey key) {
    said.remove(key);
  }

  /** The job is gone. */
  void forget(JobKey key) {
    said.remove(key);
    ofMarks.remove(key);
    ofSaves.remove(key);
    unseen.remove(key);
  }
}
