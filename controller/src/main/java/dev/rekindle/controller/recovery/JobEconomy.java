package dev.rekindle.controller.recovery;

import dev.rekindle.api.FormerRun;
import dev.rekindle.api.LoggedSaves;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.SaveEconomics;
import dev.rekindle.api.Saves;
import dev.rekindle.api.TrainingTime;
import dev.rekindle.controller.diagnosis.GangProgress;
import dev.rekindle.controller.diagnosis.JobSnapshot;
import dev.rekindle.controller.diagnosis.StepTimes;
import dev.rekindle.controller.economics.JobTime;
import dev.rekindle.controller.economics.OverdueSave;
import dev.rekindle.controller.model.GangSaves;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.telemetry.JobMetrics;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Publishes how a running job saves and where its time goes: as metrics, and as an event if a save
 * is overdue. All of it comes from existing reports and Recoveries.
 */
final class JobEconomy {
  /** A job is measured no more often: a big gang changes many times a second while it comes up. */
  private static final Duration REST = Duration.ofSeconds(10);

  private final JobMetrics metrics;
  private final JobEvents events;
  private final Map<JobKey, Instant> looked = new ConcurrentHashMap<>();
  private final Set<JobKey> overdue = ConcurrentHashMap.newKeySet();

  JobEconomy(JobMetrics metrics, JobEvents events) {
    this.metrics = metrics;
    this.events = events;
  }

  /** Measures a job, unless that was done a moment ago. */
  void look(JobView job, Supplier<JobSnapshot> snapshot, Instant now) {
    JobKey key = job.key();
    if (!(job.optIn() instanceof OptIn.Yes) || job.finish() != Finish.NOT_FINISHED) {
      forget(key);
      return;
    }
    Instant last = looked.get(key);
    // Where the clock was set back, the last time may lie ahead.
    if (last != null && !now.isBefore(last) && now.isBefore(last.plus(REST))) {
      return;
    }
    looked.put(key, now);
    show(snapshot.get(), now);
  }

  private void show(JobSnapshot s, Instant now) {
    JobKey key = s.job().key();
    List<RecoveryStatus> history = history(s.job(), s.recoveries());
    List<RankView> reports = GangProgress.of(s.pods(), s.ranks()).witnesses();
    boolean recovering = s.recoveries().stream().anyMatch(RecoveryView::open);
    Optional<String> late =
        recovering ? Optional.empty() : OverdueSave.of(reports, former(history));
    late.ifPresentOrElse(
        what -> {
          if (overdue.add(key)) {
            metrics.saveOverdue();
          }
          events.saveOverdue(key, s.job().uid(), what);
        },
        () -> {
          overdue.remove(key);
          events.saveNotOverdue(key);
        });
    TrainingTime time = JobTime.now(history, s.pods(), reports, now).orElse(null);
    Saves scan = newest(history, status -> status.plan() == null ? null : status.plan().saves());
    SaveEconomics advice =
        newest(history, status -> status.outcome() == null ? null : status.outcome().saving());
    metrics.show(
        key,
        GangSaves.of(reports).orElse(null),
        scan == null ? null : scan.newestTime(),
        advice,
        late.isPresent(),
        time,
        recovering ? OptionalDouble.empty() : StepTimes.ratio(stepBefore(history), reports));
  }

  /** Seconds that a step took before the newest recovery. */
  private static @Nullable Double stepBefore(List<RecoveryStatus> history) {
    RecoveryStatus last = history.isEmpty() ? null : history.getLast();
    FormerRun before = last == null || last.cause() == null ? null : last.cause().before();
    return before == null || before.network() == null ? null : before.network().secondsPerStep();
  }

  /** Of exactly this job, oldest first. */
  private static List<RecoveryStatus> history(JobView job, List<RecoveryView> recoveries) {
    return recoveries.stream()
        .sorted(Comparator.comparingInt(r -> RecoveryNames.ordinal(job, r.name())))
        .map(RecoveryView::status)
        .filter(Objects::nonNull)
        .toList();
  }

  /** The rhythm of the gang before the newest recovery. */
  private static @Nullable LoggedSaves former(List<RecoveryStatus> history) {
    return newest(
        history,
        status ->
            status.cause() == null || status.cause().before() == null
                ? null
                : status.cause().before().saves());
  }

  private static <T> @Nullable T newest(
      List<RecoveryStatus> history, Function<RecoveryStatus, @Nullable T> of) {
    T newest = null;
    for (RecoveryStatus status : history) {
      T one = of.apply(status);
      newest = one == null ? newest : one;
    }
    return newest;
  }

  /** The job is gone, over, or not watched any more. */
  void forget(JobKey key) {
    if (looked.remove(key) != null) {
      metrics.forget(key);
      overdue.remove(key);
      events.saveNotOverdue(key);
    }
  }
}
