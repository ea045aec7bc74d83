package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 9: an ended recovery is never replayed, and an old event stops no job. Bound: {@link
 * #UNDER_WAY} after its end for writes; none for stopping a job that has trained without a break
 * since. A held recovery does not stop a job that trained for {@link #UNDER_WAY} before the
 * recovery continued. No job is resumed twice as the same attempt. Why: a restarted controller
 * reads old objects, and each restart costs a gang's work.
 */
final class EndedRecoveries extends Check {
  private final Trouble trouble;

  /** Where no agent is there, an approved recovery continues (seed 94826108). */
  private final SeenTraining training;

  private final Map<String, Instant> lastEnd = new HashMap<>();
  private final Map<String, Instant> ended = new HashMap<>();
  private int count;

  /** By key of a recovery, since when it is held. */
  private final Map<String, Instant> held = new HashMap<>();

  /** Recoveries that continued after a hold though there was nothing left to recover from. */
  private final Set<String> needless = new HashSet<>();

  /** The attempts as which each job was resumed, by its UID. */
  private final Map<String, Set<String>> attempts = new HashMap<>();

  EndedRecoveries(World world, Invariants all, Trouble trouble) {
    super(world, all, Invariant.NO_REPLAY);
    this.trouble = trouble;
    this.training = new SeenTraining(world, all, Invariant.NO_REPLAY);
    world.recoveries().watch(this::recoveryChanged);
  }

  /** Recoveries that have come to an end. */
  int count() {
    return count;
  }

  private void recoveryChanged(Change<RecoveryObject> change) {
    if (change.after() == null) {
      // The record was deleted, and its content with it.
      lastEnd.remove(change.object().spec().jobUid());
      ended.remove(change.key());
    }
  }

  @Override
  public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
    RecoveryStatus was = before.status();
    if (was != null && isOver(was)) {
      if (!was.equals(after) && !countedAgain(was, after)) {
        broken("recovery %s is over and was written".formatted(before.meta().key()));
      }
      return;
    }
    RecoveryPhase phase = after == null ? null : after.phase();
    hold(before, phase);
    if (phase != null && phase.isTerminal()) {
      count++;
      ended.put(before.meta().key(), now());
      if (phase == RecoveryPhase.RECOVERED) {
        lastEnd.put(before.spec().jobUid(), now());
      } else {
        // No report shows yet that the job trains again; one may be on its way.
        lastEnd.remove(before.spec().jobUid());
      }
    }
  }

  private void hold(RecoveryObject recovery, @Nullable RecoveryPhase phase) {
    String key = recovery.meta().key();
    if (phase == RecoveryPhase.HELD) {
      held.putIfAbsent(key, now());
      return;
    }
    if (longAgo(held.remove(key))
        && jobOf(recovery)
            .filter(job -> !trouble.since(job, now().minus(UNDER_WAY)))
            .filter(training::trains)
            .isPresent()) {
      needless.add(key);
    }
  }

  /** A gang that comes back on its own once more is counted in the same object. */
  private static boolean countedAgain(RecoveryStatus was, @Nullable RecoveryStatus after) {
    return after != null
        && was.comeBacks() != null
        && after.comeBacks() != null
        && after.phase() == RecoveryPhase.RECOVERED
        && after.comeBacks().count() == was.comeBacks().count() + 1;
  }

  @Override
  public void ordered(@Nullable OrderObject before, OrderObject after) {
    JobObject job = jobOf(after).orElse(null);
    boolean looked = before != null && before.spec().instruction() == RestartInstruction.LOOK;
    if ((before != null && !looked) || job == null) {
      return;
    }
    if (isForNoPod(after, job)) {
      return;
    }
    if (longAgo(ended.get(after.recovery()))) {
      broken("order %s is given for a recovery that is over".formatted(after.meta().name()));
    }
    // To look at a gang does not stop it (seed 94807746).
    if (after.spec().instruction() != RestartInstruction.LOOK) {
      stops(job, after.spec().recovery());
    }
  }

  @Override
  public void wrote(JobObject before, JobObject after, String verb, String recovery) {
    if (longAgo(ended.get(before.key().namespace() + "/" + recovery))) {
      broken("%s of job %s by recovery %s, which is over".formatted(verb, before.key(), recovery));
    }
    if (verb.equals("suspend") && !before.suspend()) {
      stops(before, recovery);
    }
    String attempt = after.template().attempt();
    // Under Kueue the template is written first, and again where the Workload was not.
    if (verb.equals("resume")
        && before.suspend()
        && before.queue().isEmpty()
        && !attempts.computeIfAbsent(before.meta().uid(), _ -> new HashSet<>()).add(attempt)) {
      broken("job %s is resumed as attempt %s once more".formatted(before.key(), attempt));
    }
  }

  /** What has been answered already is no reason to stop a job that trains. */
  private void stops(JobObject job, String recovery) {
    if (needless.contains(job.key().namespace() + "/" + recovery)
        && !trouble.since(job, now().minus(UNDER_WAY))) {
      broken(
          job.key(),
          "recovery %s stops job %s, which has trained for a minute when the hold was over"
              .formatted(recovery, job.key()));
    }
    Instant since = lastEnd.get(job.meta().uid());
    if (since != null && !trouble.since(job, since)) {
      broken(
          job.key(),
          "recovery %s suspends job %s, which has trained without a break since before the last one ended at %s"
              .formatted(recovery, job.key(), since));
    }
  }
}
