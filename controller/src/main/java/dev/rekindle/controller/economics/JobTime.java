package dev.rekindle.controller.economics;

import dev.rekindle.api.FormerRun;
import dev.rekindle.api.LoggedSaves;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Outcome;
import dev.rekindle.api.TimelineEntry;
import dev.rekindle.api.TrainingTime;
import dev.rekindle.controller.model.GangSaves;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RankView;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Splits the time of a job. Each recovery that brought it back carries the sums up to then, so what
 * is kept of a job's recoveries may be little. Pure functions; times of steps are by clocks of
 * nodes, others by the controller's, so a part is cut where it would reach beyond its bounds.
 */
public final class JobTime {
  private JobTime() {}

  /**
   * The time of a job up to the end of a recovery.
   *
   * @param history earlier recoveries of the job, oldest first
   * @param recovery the one that ends
   * @param detected when the failure was known
   * @param trains when the first new step was made
   * @param repeatedSeconds how long the steps took that are made twice
   */
  public static TrainingTime ended(
      List<RecoveryStatus> history,
      RecoveryStatus recovery,
      Instant detected,
      Instant trains,
      double repeatedSeconds) {
    TrainingTime before = newest(history);
    Cause cause = recovery.cause();
    FormerRun run = cause == null ? null : cause.before();
    Instant created = run == null ? null : run.created();
    TimeSplit split =
        new TimeSplit(
            before != null ? before.until() : Objects.requireNonNullElse(created, detected),
            trains);
    Instant started = lastStart(recovery).orElse(detected);
    Instant stood = cause == null ? null : cause.lastStepTime();
    split.recovery =
        split.within(stood != null && stood.isBefore(detected) ? stood : detected, started)
            + unmended(history, split);
    split.startup =
        split.within(started, trains)
            + (before == null && run != null ? split.within(created, run.firstStepTime()) : 0);
    split.wasted = Math.max(0, repeatedSeconds);
    split.saving = run == null || run.saves() == null ? 0 : run.saves().blockedSeconds();
    return split.sum(before, 1);
  }

  /**
   * The time of a job up to now; empty where nothing of it was seen yet.
   *
   * @param history its recoveries, oldest first; an open one is the last
   * @param pods its present pods
   * @param reports the reports on them
   */
  public static Optional<TrainingTime> now(
      List<RecoveryStatus> history, List<PodView> pods, List<RankView> reports, Instant now) {
    TrainingTime before = newest(history);
    RecoveryStatus open = history.isEmpty() || isOver(history.getLast()) ? null : history.getLast();
    Cause cause = open == null ? null : open.cause();
    FormerRun run = cause == null ? null : cause.before();
    Instant created =
        run == null || run.created() == null
            ? pods.stream().map(PodView::created).min(Instant::compareTo).orElse(null)
            : run.created();
    Instant from = before == null ? created : before.until();
    if (from == null) {
      return Optional.empty();
    }
    TimeSplit split = new TimeSplit(from, now);
    Instant stood = cause == null ? null : cause.lastStepTime();
    Instant detected = open == null ? null : begun(open);
    split.recovery =
        unmended(history, split)
            + (detected == null
                ? 0
                : split.within(stood != null && stood.isBefore(detected) ? stood : detected, now));
    if (before == null) {
      Instant first = run == null ? firstStep(reports) : run.firstStepTime();
      split.startup = split.within(created, first == null && open == null ? now : first);
    }
    LoggedSaves saves = run == null ? GangSaves.of(reports).orElse(null) : run.saves();
    split.saving = saves == null ? 0 : saves.blockedSeconds();
    return Optional.of(split.sum(before, 0));
  }

  /** The newest sums that a recovery carries. */
  private static @Nullable TrainingTime newest(List<RecoveryStatus> history) {
    return history.stream()
        .map(JobTime::time)
        .filter(Objects::nonNull)
        .reduce((_, newer) -> newer)
        .orElse(null);
  }

  private static @Nullable TrainingTime time(RecoveryStatus status) {
    Outcome outcome = status.outcome();
    return outcome == null ? null : outcome.time();
  }

  /** What recoveries took that carry no sums: given up, cancelled, or the kubelets' alone. */
  private static double unmended(List<RecoveryStatus> history, TimeSplit split) {
    return history.stream()
        .filter(status -> time(status) == null && isOver(status))
        .mapToDouble(status -> lost(status, split))
        .sum();
  }

  private static double lost(RecoveryStatus status, TimeSplit split) {
    Outcome outcome = status.outcome();
    if (status.comeBacks() != null) {
      Double down = outcome == null ? null : outcome.downtimeSeconds();
      boolean since = !status.comeBacks().last().isBefore(split.from());
      return down == null || !since ? 0 : down * status.comeBacks().count();
    }
    return split.within(begun(status), status.phaseSince());
  }

  private static boolean isOver(RecoveryStatus status) {
    return status.phase() != null && status.phase().isTerminal();
  }

  private static @Nullable Instant begun(RecoveryStatus status) {
    return status.timeline().isEmpty() ? null : status.timeline().getFirst().time();
  }

  /** When the gang was last started: its pods are there, or their containers run again. */
  private static Optional<Instant> lastStart(RecoveryStatus status) {
    return status.timeline().stream()
        .filter(entry -> entry.phase() == RecoveryPhase.VERIFYING)
        .map(TimelineEntry::time)
        .reduce((_, newer) -> newer);
  }

  private static @Nullable Instant firstStep(List<RankView> reports) {
    return reports.stream()
        .map(RankView::firstStepTime)
        .filter(Objects::nonNull)
        .min(Instant::compareTo)
        .orElse(null);
  }
}
