package dev.rekindle.simulator.chaos;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Outcome;
import dev.rekindle.api.ResumeAttempt;
import dev.rekindle.api.ResumeResult;
import dev.rekindle.api.Saves;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.world.FirstStep;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.Poison;
import dev.rekindle.simulator.world.RankObject;
import dev.rekindle.simulator.world.RecoveryObject;
import dev.rekindle.simulator.world.TrainingProgress;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Invariant 56: the report of a recovery on the resume is true: where the first step was, that the
 * checkpoint could not be loaded, that the loss is NaN. If the log has shown for {@link #HEARD}
 * that it cannot be loaded, the recovery reports it. Bound: nothing is checked if no first step was
 * seen. Why: this report decides whether a checkpoint is tried again or an older one is used, and
 * whether a node is blamed.
 */
final class TrueResumes extends Check {
  /** A report that is stored for so long every leader has seen. */
  private static final Duration HEARD = Duration.ofSeconds(25);

  /** Generations that train with a loss of NaN, after the UID of their job. */
  private final Set<String> notFinite = new HashSet<>();

  /** Since when a report says, by UID of its pod, that its checkpoint cannot be loaded. */
  private final Map<String, Instant> unloadable = new HashMap<>();

  /** UIDs of the jobs of which a report has ever said that. */
  private final Set<JobKey> everUnloadable = new HashSet<>();

  private final SeenLosses losses;

  TrueResumes(World world, Invariants all, SeenLosses losses) {
    super(world, all, Invariant.TRUE_RESUMES);
    this.losses = losses;
    world.ranks().watch(this::reported);
  }

  private void reported(Change<RankObject> change) {
    RankObject report = change.after();
    if (report != null && report.view().loadError() != null && counts(report)) {
      unloadable.putIfAbsent(report.view().podUid(), now());
      everUnloadable.add(report.view().job());
    } else {
      unloadable.remove(change.object().view().podUid());
    }
  }

  @Override
  public void begins(JobKey key, String generation, JobObject.Template template, long from) {
    JobObject job = world.jobs().find(key.toString()).orElse(null);
    if (job != null && training(job).storage().poison(from) == Poison.GIVES_NAN) {
      notFinite.add(job.meta().uid() + generation);
    }
  }

  @Override
  public void saved(RecoveryObject before, @Nullable RecoveryStatus after) {
    RecoveryStatus was = before.status();
    JobObject job = jobOf(before).orElse(null);
    if (after == null || was == null || job == null || isOver(was)) {
      return;
    }
    for (ResumeAttempt attempt : after.resumes()) {
      if (!was.resumes().contains(attempt)) {
        attempted(before, job, was, attempt);
      }
    }
    Outcome outcome = after.outcome();
    if (after.phase() == RecoveryPhase.RECOVERED && outcome != null && outcome.resume() != null) {
      List<Long> first = firstSteps(before, job, after.attempt());
      if (!isSo(outcome.resume(), outcome.resumedStep(), interval(after), first)) {
        broken(
            job.key(),
            "recovery %s says of the resume from step %s: %s; its first steps were %s"
                .formatted(
                    before.meta().key(), outcome.resumedStep(), outcome.resume().word(), first));
      }
    }
  }

  private void attempted(
      RecoveryObject recovery, JobObject job, RecoveryStatus status, ResumeAttempt attempt) {
    List<Long> first = firstSteps(recovery, job, attempt.attempt());
    boolean so =
        switch (attempt.result()) {
          case LOAD_ERROR -> everUnloadable.contains(job.key());
          case LOSS_NOT_FINITE ->
              wasNotFinite(recovery, job, attempt.attempt()) || !losses.showNumber(job);
          case CRASHED, NO_NEW_STEP, INTERRUPTED ->
              attempt.detail().contains("faulty") || !couldNotLoad(recovery, job, attempt);
          case AHEAD -> isSo(attempt.result(), attempt.step(), null, first);
          default -> isSo(attempt.result(), attempt.step(), interval(status), first);
        };
    if (!so) {
      broken(
          job.key(),
          "recovery %s says of attempt %d, from step %s: %s (%s); its first steps were %s"
              .formatted(
                  recovery.meta().key(),
                  attempt.attempt(),
                  attempt.step(),
                  attempt.result().word(),
                  attempt.detail(),
                  first));
    }
  }

  /** Steps between two checkpoints, according to the plan. */
  private static @Nullable Long interval(RecoveryStatus status) {
    Saves saves = status.plan() == null ? null : status.plan().saves();
    return saves == null ? null : saves.stepsApart();
  }

  private static boolean isSo(
      ResumeResult result, @Nullable Long step, @Nullable Long interval, List<Long> first) {
    if (step == null || first.isEmpty()) {
      return true;
    }
    return switch (result) {
      case PROVEN ->
          first.stream().anyMatch(s -> s > step && (interval == null || s - step <= interval));
      case AHEAD ->
          first.stream().anyMatch(s -> s > step && (interval == null || s - step > interval));
      case BEHIND, FROM_ZERO -> first.stream().anyMatch(s -> s <= step);
      // No program of the seeds has a loss that grows.
      case LOSS_FAR -> false;
      default -> true;
    };
  }

  /**
   * A log that has said so long ago that its checkpoint cannot be loaded, and made no step. A pod
   * without our annotation is not counted: the controller cannot see its attempt (seed 95248054).
   */
  private boolean couldNotLoad(RecoveryObject recovery, JobObject job, ResumeAttempt attempt) {
    String name = recovery.meta().name() + "-" + attempt.attempt();
    for (PodObject pod : world.podsOf(job)) {
      Instant since = unloadable.get(pod.meta().uid());
      if (since != null
          && pod.template().attempt().equals(name)
          && !pod.markTaken()
          && since.plus(HEARD).isBefore(now())) {
        return firstSteps(recovery, job, attempt.attempt()).isEmpty();
      }
    }
    return false;
  }

  private boolean wasNotFinite(RecoveryObject recovery, JobObject job, int attempt) {
    for (String generation : generations(recovery, attempt)) {
      if (notFinite.contains(job.meta().uid() + generation)) {
        return true;
      }
    }
    return false;
  }

  /** The first steps of an attempt, whichever way its gang was started. */
  private List<Long> firstSteps(RecoveryObject recovery, JobObject job, int attempt) {
    List<Long> steps = new ArrayList<>();
    for (String generation : generations(recovery, attempt)) {
      for (FirstStep first : training(job).firstSteps(generation)) {
        steps.add(first.step());
      }
    }
    return steps;
  }

  private static List<String> generations(RecoveryObject recovery, int attempt) {
    String name = recovery.meta().name() + "-" + attempt;
    return List.of(name, OrderObject.generation(name));
  }

  private TrainingProgress training(JobObject job) {
    return world.gang(job.meta().uid()).training();
  }
}
