package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 7: a restart budget is never exceeded, across restarts of the controller. Bound: the
 * policy's own window and number; restarts while a clock of the controller is wrong are not
 * counted, since they are recorded by that clock. The first attempt of a recovery that was opened
 * by such a clock may be one too many, since the window was another one (seed 94401185). Why: a
 * program that always crashes would hold its GPUs forever.
 */
final class Budgets extends Check {
  private final Policy policy;
  private final Map<String, List<Instant>> resumes = new HashMap<>();

  /** Attempts that were counted, by UID of the job: one that falls back to a rebuild is one. */
  private final Set<String> counted = new HashSet<>();

  /** When they were. */
  private final Map<String, Instant> countedAt = new HashMap<>();

  /** Attempts that were decided on by a clock that was wrong, by UID of the job. */
  private final Set<String> excused = new HashSet<>();

  Budgets(World world, Invariants all, Policy policy) {
    super(world, all, Invariant.BUDGET);
    this.policy = policy;
    world.recoveries().watch(this::recoveryChanged);
  }

  private void recoveryChanged(Change<RecoveryObject> change) {
    if (change.after() == null) {
      // The record was deleted, and its counts with it.
      resumes.remove(change.object().spec().jobUid());
    }
  }

  @Override
  public void opened(RecoveryObject recovery) {
    if (clocksAreWrong()) {
      excused.add(recovery.spec().jobUid() + recovery.meta().name() + "-1");
    }
  }

  @Override
  public void ordered(@Nullable OrderObject before, OrderObject after) {
    if (before != null) {
      jobOf(after).ifPresent(job -> count(job, after.meta().name()));
    }
  }

  @Override
  public void wrote(JobObject before, JobObject after, String verb, String recovery) {
    RecoveryObject by =
        world.recoveries().find(before.key().namespace() + "/" + recovery).orElse(null);
    if (verb.equals("resume") && by != null && !reason(by).equals(RecoveryStatus.Cause.ORPHANED)) {
      count(before, after.template().attempt());
    }
  }

  /** An attempt is written down once more when it is under way, by the clock of then. */
  @Override
  public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
    if (clocksAreWrong()
        && after != null
        && after.phase() == RecoveryPhase.VERIFYING
        && (before.status() == null || before.status().phase() != RecoveryPhase.VERIFYING)) {
      String uid = before.spec().jobUid();
      Instant at = countedAt.get(uid + before.meta().name() + "-" + after.attempt());
      if (at != null) {
        resumes.getOrDefault(uid, new ArrayList<>()).remove(at);
      }
    }
  }

  private static String reason(RecoveryObject recovery) {
    RecoveryStatus status = recovery.status();
    return status == null || status.cause() == null ? "" : status.cause().reason();
  }

  private void count(JobObject job, String attempt) {
    // By a clock that is wrong it is written down for a time that may be out of the window.
    if (!counted.add(job.meta().uid() + attempt) || clocksAreWrong()) {
      return;
    }
    List<Instant> times = resumes.computeIfAbsent(job.meta().uid(), _ -> new ArrayList<>());
    times.add(now());
    countedAt.put(job.meta().uid() + attempt, now());
    Instant since = now().minus(policy.budgetWindow());
    times.removeIf(t -> t.isBefore(since));
    if (times.size() > policy.maxRestarts() && !excused.contains(job.meta().uid() + attempt)) {
      broken(
          "job %s is restarted for the %dth time within %s; %d are allowed"
              .formatted(job.key(), times.size(), policy.budgetWindow(), policy.maxRestarts()));
    }
  }
}
