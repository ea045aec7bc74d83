package dev.rekindle.simulator.chaos;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Outcome;
import dev.rekindle.api.ResumeAttempt;
import dev.rekindle.api.ResumeResult;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.Poison;
import dev.rekindle.simulator.world.RankObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.Storage;
import dev.rekindle.simulator.world.World;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A checkpoint that is poisoned is tried twice at most, once its gangs have shown what is wrong
 * with it. Why: each cycle costs the whole gang minutes, and nothing about the next is different.
 * What a gang shows after its attempt was given up for a faulty node is not asked for any more, nor
 * where its recovery ended without having seen a step, as while its user had opted out, nor a start
 * from zero by a script for which another checkpoint was pinned, or none.
 */
final class CrashLoops extends Check {
  private static final int MOST = 2;

  /** One start from a checkpoint, and how far the job had ever come by the reports. */
  private record Start(long step, long furthest) {}

  private final Map<String, List<Start>> starts = new HashMap<>();
  private final Set<String> begun = new HashSet<>();

  /** By job, the highest step that a report has named: what its agents have not seen counts not. */
  private final Map<String, Long> reported = new HashMap<>();

  /**
   * By generation, the step of the checkpoint that was pinned for it. Another one is what its
   * script has chosen, at its first start or after a restart by kubelets.
   */
  private final Map<String, Long> pinned = new HashMap<>();

  /** Attempts that were given up, or ended unseen, before their gangs had shown anything. */
  private final Set<String> overlooked = new HashSet<>();

  CrashLoops(World world, Invariants all) {
    super(world, all, Invariant.CRASH_LOOP);
    world.recoveries().watch(this::recoveryChanged);
    world.ranks().watch(this::reported);
  }

  /** Somebody deleted the record: what it said is forgotten with it. */
  private void recoveryChanged(Change<RecoveryObject> change) {
    if (change.after() == null) {
      jobOf(change.object()).ifPresent(job -> storage(job).forgetShown());
      return;
    }
    RecoveryObject recovery = change.object();
    RecoveryStatus status = recovery.status();
    if (status == null) {
      return;
    }
    for (ResumeAttempt attempt : status.resumes()) {
      if (attempt.result() == ResumeResult.INTERRUPTED) {
        overlooked(recovery, attempt.attempt(), attempt.step(), false);
      }
    }
    Outcome outcome = status.outcome();
    if (status.phase() == RecoveryPhase.RECOVERED
        && outcome != null
        && (outcome.resume() == null || outcome.resume() == ResumeResult.UNKNOWN)) {
      overlooked(recovery, status.attempt(), pinned(status), true);
    }
  }

  private void reported(Change<RankObject> change) {
    RankObject report = change.after();
    Long step = report == null ? null : report.view().lastStep();
    if (report != null && step != null) {
      reported.merge(report.view().job().toString(), step, Math::max);
    }
  }

  /**
   * That attempt is over: no recovery looks any more for what its gang has not shown by now, or,
   * where its steps were not seen, for anything.
   */
  private void overlooked(
      RecoveryObject recovery, int attempt, @Nullable Long step, boolean unseen) {
    Optional<JobObject> job = jobOf(recovery);
    if (step == null || job.isEmpty()) {
      return;
    }
    Set<String> shown = storage(job.get()).shown(step);
    String name = recovery.meta().name() + "-" + attempt;
    Stream.of(name, OrderObject.generation(name))
        .filter(generation -> unseen || !shown.contains(generation))
        .forEach(overlooked::add);
  }

  /** Step of the checkpoint that it has pinned; null without a valid one. */
  private static @Nullable Long pinned(RecoveryStatus status) {
    PinnedCheckpoint pin = status.plan() == null ? null : status.plan().checkpoint();
    return pin == null || pin.verdict() != CheckpointVerdict.VALID ? null : pin.step();
  }

  private Storage storage(JobObject job) {
    return world.gang(job.meta().uid()).training().storage();
  }

  /** How many gangs have shown it while their attempts lasted. */
  private int shown(JobObject job, long step) {
    Set<String> shown = new HashSet<>(storage(job).shown(step));
    shown.removeAll(overlooked);
    if (storage(job).poison(step) == Poison.STARTS_OVER) {
      shown.removeIf(generation -> !Long.valueOf(step).equals(pinned.get(generation)));
    }
    return shown.size();
  }

  @Override
  public void wrote(JobObject before, JobObject after, String verb, String recovery) {
    if (verb.equals("resume") && after.template().resumeStep() >= 0) {
      starts(before, after.template().resumeStep());
    }
  }

  @Override
  public void begins(JobKey key, String generation, JobObject.Template template, long from) {
    JobObject job = world.jobs().find(key.toString()).orElse(null);
    if (job == null || !begun.add(job.meta().uid() + generation)) {
      return;
    }
    for (RecoveryObject recovery : open(job)) {
      RecoveryStatus status = recovery.status();
      Long step = status == null ? null : pinned(status);
      if (step != null) {
        pinned.put(generation, step);
      }
    }
    if (orderOf(job).map(OrderObject::generation).filter(generation::equals).isPresent()) {
      starts(job, from);
    }
  }

  private void starts(JobObject job, long step) {
    if (storage(job).poison(step) != null && shown(job, step) >= MOST) {
      broken(
          "job %s is started from step %d, which is poisoned, as %d gangs have shown"
              .formatted(job.key(), step, shown(job, step)));
    }
    starts
        .computeIfAbsent(job.meta().uid(), _ -> new ArrayList<>())
        .add(new Start(step, furthest(job)));
  }

  /** Whether an older checkpoint than that may be taken: it is no good, or did not help twice. */
  boolean mayGoBackFrom(JobObject job, long newest) {
    long furthest = furthest(job);
    return storage(job).poison(newest) != null
        || starts.getOrDefault(job.meta().uid(), List.of()).stream()
                .filter(s -> s.step() == newest && s.furthest() == furthest)
                .count()
            >= MOST;
  }

  private long furthest(JobObject job) {
    return reported.getOrDefault(job.key().toString(), 0L);
  }
}
