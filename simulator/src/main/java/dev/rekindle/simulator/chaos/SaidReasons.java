package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.recovery.HoldReason;
import dev.rekindle.simulator.process.Answers;
import dev.rekindle.simulator.process.Answers.Call;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 57: an Event on the job reports what prevents its recovery: each reason for which a
 * recovery is held, a policy that does not exist, and each invalid request. Bound: half a minute of
 * calm for a hold, else two minutes; an Event that was not accepted is not retried at once, and the
 * Events that a process had not sent when it ended are lost. Why: people read the Events of their
 * job, and an outdated reason misleads them.
 */
final class SaidReasons extends Check {
  private static final Duration BOUND = Duration.ofMinutes(2);

  /** A call without an answer is reported once a watch shows its effect. */
  private static final Duration STORMY = Duration.ofMinutes(2);

  /** A lost Event is sent again after five minutes, also if it was withdrawn in between. */
  private static final Duration SENT_AGAIN = Duration.ofMinutes(6);

  /** The Event of a hold is sent right after the hold is stored. */
  private static final Duration AT_ONCE = Duration.ofSeconds(30);

  /** A reason that an Event must report, and since when. */
  private record Due(Reason reason, String word, Instant since) {}

  private final Answers answers;

  /** By key of a recovery. */
  private final Map<String, Due> holds = new HashMap<>();

  /** By UID of a job, what is wrong with what its owner has requested. */
  private final Map<String, Due> wishes = new HashMap<>();

  /** By job, when an Event on it was last requested, whatever came of it. */
  private final Map<JobKey, Instant> asked = new HashMap<>();

  /** By UID of a job, what Events on it have said. */
  private final Map<String, Set<Reason>> said = new HashMap<>();

  /** By UID of a job, Events on it that were lost on their way: they are sent again. */
  private final Map<String, Map<Reason, Instant>> lost = new HashMap<>();

  private Instant lastDeath = Instant.MIN;

  /** When the calm began; absent before. What is lost on its way is retried till then. */
  private @Nullable Instant calm;

  private final Map<String, Instant> calmSince = new HashMap<>();

  SaidReasons(World world, Invariants all, Answers answers) {
    super(world, all, Invariant.SAID_REASONS);
    this.answers = answers;
    world.jobs().watch(change -> wished(change.object(), change.after() != null));
    world.policies().watch(_ -> world.jobs().all().forEach(job -> wished(job, true)));
  }

  @Override
  public void called(Call call, @Nullable JobKey job) {
    if (call == Call.RECORD_EVENT && job != null) {
      asked.put(job, now());
      holds.keySet().removeIf(key -> isOf(key, job));
    }
  }

  @Override
  public void processDied() {
    holds.clear();
    lastDeath = now();
  }

  @Override
  public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
    String key = before.meta().key();
    Optional<HoldReason> reason = after == null ? Optional.empty() : HoldReason.of(after);
    JobObject job = jobOf(before).orElse(null);
    Due due = holds.get(key);
    if (due != null && job != null && isOverdue(due, job, AT_ONCE)) {
      broken(job.key(), unsaid(before, due));
    }
    RecoveryStatus was = before.status();
    Optional<HoldReason> former = was == null ? Optional.empty() : HoldReason.of(was);
    if (reason.isEmpty()) {
      holds.remove(key);
    } else if (!reason.equals(former) && longAgo(lastDeath)) {
      // Calls of a process that has ended may take effect later (seed 92340255).
      holds.put(key, new Due(Reason.RECOVERY_HELD, reason.get().word(), now()));
    }
  }

  @Override
  public void removed(RecoveryObject recovery) {
    holds.remove(recovery.meta().key());
  }

  private void wished(JobObject job, boolean there) {
    String uid = job.meta().uid();
    Reason reason = there ? wrong(job) : null;
    Due due = wishes.get(uid);
    if (reason == null) {
      wishes.remove(uid);
    } else if (due == null || due.reason() != reason) {
      wishes.put(uid, new Due(reason, "", now()));
    }
  }

  private @Nullable Reason wrong(JobObject job) {
    boolean ours = isStoppedByUs(job);
    return switch (job.optIn()) {
      case OptIn.Unusable _ when !ours -> Reason.INVALID_ANNOTATION;
      case OptIn.Yes _ when !ours && world.policies().find(job.policy()).isEmpty() ->
          job.policy().equals("default") ? null : Reason.UNKNOWN_POLICY;
      default -> null;
    };
  }

  /** What was stopped for a recovery is brought back, or given up, whatever its owner asks for. */
  private boolean isStoppedByUs(JobObject job) {
    return (job.suspend() && !job.suspendedBy().isEmpty())
        || world
            .queueing()
            .workloads()
            .find(job.key().toString())
            .filter(workload -> !workload.stoppedBy().isEmpty())
            .isPresent();
  }

  @Override
  public void announced(ClusterEvent event) {
    if (event.job() == null) {
      return;
    }
    if (event.reason() == Reason.RECOVERY_HELD) {
      holds
          .entrySet()
          .removeIf(
              due ->
                  event
                      .note()
                      .startsWith(
                          "%s: %s:"
                              .formatted(
                                  due.getKey().substring(due.getKey().indexOf('/') + 1),
                                  due.getValue().word())));
    }
    // A reason that comes and goes is reported from time to time, not each time (seed 92301026).
    said.computeIfAbsent(event.jobUid(), _ -> EnumSet.noneOf(Reason.class)).add(event.reason());
  }

  @Override
  public void unannounced(ClusterEvent event) {
    if (event.job() != null) {
      lost.computeIfAbsent(event.jobUid(), _ -> new EnumMap<>(Reason.class))
          .put(event.reason(), now());
    }
  }

  private boolean isLost(JobObject job, Reason reason) {
    Instant at = lost.getOrDefault(job.meta().uid(), Map.of()).get(reason);
    return at != null && !at.plus(SENT_AGAIN).isBefore(now());
  }

  @Override
  void look() {
    calm = calm == null ? now() : calm;
    for (RecoveryObject recovery : world.recoveries().all()) {
      Due due = holds.get(recovery.meta().key());
      JobObject job = jobOf(recovery).orElse(null);
      if (due != null && job != null && isOverdue(due, job, AT_ONCE)) {
        broken(job.key(), unsaid(recovery, due));
      }
    }
    for (JobObject job : world.jobs().all()) {
      Due due = wishes.get(job.meta().uid());
      if (due == null
          || isSaid(job, due.reason())
          || isLost(job, due.reason())
          || isStoppedByUs(job)
          || isAsked(job.key(), due)
          || !open(job).isEmpty()) {
        calmSince.remove(job.meta().uid());
        continue;
      }
      Instant calm = calmSince.computeIfAbsent(job.meta().uid(), _ -> now());
      if (calm.plus(BOUND).isBefore(now()) && isOverdue(due, job, BOUND)) {
        broken(
            "of job %s %s is to be said since %s, and no Event says so"
                .formatted(job.key(), due.reason().word(), due.since()));
      }
    }
  }

  private static String unsaid(RecoveryObject recovery, Due due) {
    return "recovery %s is held for %s since %s, and no Event on its job says so"
        .formatted(recovery.meta().key(), due.word(), due.since());
  }

  private boolean isOf(String recovery, JobKey job) {
    return world.recoveries().find(recovery).filter(r -> r.view().job().equals(job)).isPresent();
  }

  /**
   * An Event that is lost then is sent again after some minutes. The check does not wait for it.
   */
  private boolean isAsked(JobKey job, Due due) {
    Instant last = asked.get(job);
    return last != null && !last.isBefore(due.since());
  }

  private boolean isSaid(JobObject job, Reason reason) {
    return said.getOrDefault(job.meta().uid(), Set.of()).contains(reason);
  }

  /** No Event on the job was requested since then. */
  private boolean isOverdue(Due due, JobObject job, Duration bound) {
    Instant last = asked.get(job.key());
    boolean calmly =
        calm != null && calm.plus(bound).isBefore(now()) && due.since().plus(bound).isBefore(now());
    return (calmly || due.since().plus(STORMY).isBefore(now()))
        && (last == null || last.isBefore(due.since()))
        && !answers.refusedForGood(Call.RECORD_EVENT, job.key());
  }

  @Override
  boolean isWaiting() {
    return !holds.isEmpty() || !calmSince.isEmpty();
  }
}
