package dev.rekindle.controller.telemetry;

import dev.rekindle.api.LoggedSaves;
import dev.rekindle.api.SaveEconomics;
import dev.rekindle.api.TrainingTime;
import dev.rekindle.controller.model.JobKey;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Instant;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Series of single jobs: how they save and where their time went. They are bounded: of at most
 * {@link #MOST} jobs at a time, and those of a job go with it.
 */
public final class JobMetrics {
  /** Jobs with series, at most: some 13,000 series. */
  static final int MOST = 1_000;

  private static final double HOURS_PER_DAY = 24;
  private static final String[] JOB = {"namespace", "job"};

  /** All that a job has but its buckets. */
  private final List<Gauge> ofJob;

  private final Gauge saved;
  private final Gauge apart;
  private final Gauge length;
  private final Gauge best;
  private final Gauge cost;
  private final Gauge overdue;
  private final Gauge ratio;
  private final Gauge slower;
  private final Gauge time;
  private final Gauge without;
  private final Counter overdueSaves;
  private final Set<JobKey> known = ConcurrentHashMap.newKeySet();
  private final Set<JobKey> unknown = ConcurrentHashMap.newKeySet();

  JobMetrics(PrometheusRegistry registry) {
    saved =
        Gauge.builder()
            .name("rekindle_job_last_checkpoint_timestamp_seconds")
            .help(
                "When the newest checkpoint was saved; source log: by the job's log, scan: the"
                    + " newest valid one at its last recovery.")
            .labelNames("namespace", "job", "source")
            .register(registry);
    apart =
        gauge(
            "checkpoint_interval_seconds",
            "Median of the newest five intervals between saves.",
            registry);
    length =
        gauge("checkpoint_duration_seconds", "Median duration of the newest five saves.", registry);
    best =
        gauge(
            "best_checkpoint_interval_seconds",
            "Young's interval between saves, from the job's own failures, saves and restarts.",
            registry);
    cost =
        gauge(
            "checkpoint_interval_cost_gpus",
            "GPUs that the job's own interval loses on average, beside what Young's would lose, as"
                + " of its last recovery.",
            registry);
    overdue =
        gauge(
            "checkpoint_overdue",
            "1 while a save is overdue, measured by the job's own intervals, else 0.",
            registry);
    ratio =
        gauge(
            "effective_training_time_ratio",
            "ETTR: productive time divided by all time since the first pods of the job.",
            registry);
    slower =
        gauge(
            "step_time_ratio",
            "Time per step divided by that before the newest recovery, after 100 new steps.",
            registry);
    time =
        Gauge.builder()
            .name("rekindle_job_time_seconds")
            .help("Time of the job so far: productive, and by bucket of Google's badput.")
            .labelNames("namespace", "job", "bucket")
            .register(registry);
    without =
        Gauge.builder()
            .name("rekindle_jobs_without_series")
            .help("Jobs without series of their own, because there are too many jobs.")
            .register(registry);
    overdueSaves =
        Counter.builder()
            .name("rekindle_checkpoints_overdue_total")
            .help("How often a save of a job became overdue.")
            .register(registry);
    overdueSaves.initLabelValues();
    ofJob = List.of(apart, length, best, cost, overdue, ratio, slower);
  }

  private static Gauge gauge(String name, String help, PrometheusRegistry registry) {
    return Gauge.builder()
        .name("rekindle_job_" + name)
        .help(help)
        .labelNames(JOB)
        .register(registry);
  }

  /**
   * What is known of a job now; what is absent has no series.
   *
   * @param saves how it saves, by its log
   * @param scanned when the newest valid checkpoint of its last recovery was written
   * @param advice what its last recovery says of how often to save
   * @param isOverdue whether a save is overdue
   * @param split where its time went
   * @param stepRatio how many times as long as before its newest recovery a step takes
   */
  public void show(
      JobKey key,
      @Nullable LoggedSaves saves,
      @Nullable Instant scanned,
      @Nullable SaveEconomics advice,
      boolean isOverdue,
      @Nullable TrainingTime split,
      OptionalDouble stepRatio) {
    if (!known.contains(key) && known.size() >= MOST) {
      unknown.add(key);
      without.set(unknown.size());
      return;
    }
    known.add(key);
    if (unknown.remove(key)) {
      without.set(unknown.size());
    }
    setTime(key, "log", saves == null ? null : saves.time());
    setTime(key, "scan", scanned);
    set(apart, key, saves == null ? null : saves.secondsApart());
    set(length, key, saves == null ? null : saves.secondsLong());
    set(best, key, advice == null ? null : Double.valueOf(advice.bestSecondsApart()));
    set(cost, key, advice == null ? null : Double.valueOf(advice.gpuHoursPerDay() / HOURS_PER_DAY));
    set(overdue, key, isOverdue ? 1.0 : 0.0);
    set(ratio, key, split == null ? null : Double.valueOf(split.ettr()));
    set(slower, key, stepRatio.isPresent() ? stepRatio.getAsDouble() : null);
    if (split != null) {
      bucket(key, "productive", split.productiveSeconds());
      bucket(key, "infrastructure_recovery_from_disruption", split.infrastructureRecoverySeconds());
      bucket(key, "program_startup", split.programStartupSeconds());
      bucket(key, "wasted_progress_from_disruption", split.wastedProgressSeconds());
      bucket(key, "unproductive_checkpoint_save_time", split.checkpointSaveSeconds());
    }
  }

  /** A save of a job has become overdue. */
  public void saveOverdue() {
    overdueSaves.inc();
  }

  /** The job is gone, or over: so are its series. */
  public void forget(JobKey key) {
    if (unknown.remove(key)) {
      without.set(unknown.size());
    }
    if (!known.remove(key)) {
      return;
    }
    ofJob.forEach(gauge -> gauge.remove(key.namespace(), key.name()));
    for (String source : List.of("log", "scan")) {
      saved.remove(key.namespace(), key.name(), source);
    }
    for (String bucket :
        List.of(
            "productive",
            "infrastructure_recovery_from_disruption",
            "program_startup",
            "wasted_progress_from_disruption",
            "unproductive_checkpoint_save_time")) {
      time.remove(key.namespace(), key.name(), bucket);
    }
  }

  private void bucket(JobKey key, String bucket, double seconds) {
    time.labelValues(key.namespace(), key.name(), bucket).set(seconds);
  }

  private void setTime(JobKey key, String source, @Nullable Instant at) {
    if (at == null) {
      saved.remove(key.namespace(), key.name(), source);
    } else {
      saved.labelValues(key.namespace(), key.name(), source).set(at.toEpochMilli() / 1000.0);
    }
  }

  private static void set(Gauge gauge, JobKey key, @Nullable Double value) {
    if (value == null) {
      gauge.remove(key.namespace(), key.name());
    } else {
      gauge.labelValues(key.namespace(), key.name()).set(value);
    }
  }
}
