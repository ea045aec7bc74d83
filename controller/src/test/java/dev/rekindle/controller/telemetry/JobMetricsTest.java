package dev.rekindle.controller.telemetry;

import static dev.rekindle.controller.Given.T0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.CauseReason;
import dev.rekindle.api.LoggedSaves;
import dev.rekindle.api.LostGpuSeconds;
import dev.rekindle.api.SaveEconomics;
import dev.rekindle.api.TrainingTime;
import dev.rekindle.controller.model.JobKey;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class JobMetricsTest {
  private static final JobKey JOB = new JobKey("team", "demo");

  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final Metrics metrics = new Metrics(registry);

  private List<String> lines(String part) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrometheusTextFormatWriter.create().write(out, registry.scrape());
    return out.toString(StandardCharsets.UTF_8)
        .lines()
        .filter(line -> !line.startsWith("#") && line.contains(part))
        .toList();
  }

  @Test
  void shouldBeginAtZero() throws IOException {
    assertThat(lines("rekindle_lost_gpu_seconds_total"))
        .contains(
            "rekindle_lost_gpu_seconds_total{bucket=\"detection\",cause=\"Stalled\"} 0.0",
            "rekindle_lost_gpu_seconds_total{bucket=\"repeated\",cause=\"Stalled\"} 0.0",
            "rekindle_lost_gpu_seconds_total{bucket=\"restart\",cause=\"Stalled\"} 0.0")
        .allMatch(l -> l.endsWith(" 0.0"));
    assertThat(lines("rekindle_resumes_total")).isNotEmpty().allMatch(l -> l.endsWith(" 0.0"));
    assertThat(lines("rekindle_checkpoints_overdue_total"))
        .containsExactly("rekindle_checkpoints_overdue_total 0.0");
  }

  @Test
  void shouldCountAFaultFromItsFirstRecoveryOn() throws IOException {
    metrics.recoveries().opened("XID-79");

    assertThat(lines("cause=\"XID-79\""))
        .contains(
            "rekindle_recoveries_opened_total{cause=\"XID-79\"} 1.0",
            "rekindle_recoveries_ended_total{cause=\"XID-79\",outcome=\"Failed\"} 0.0",
            "rekindle_lost_gpu_seconds_total{bucket=\"restart\",cause=\"XID-79\"} 0.0");
  }

  /** A writer of NodeFaults could make up codes without end. */
  @Test
  void shouldBoundTheCausesThatHaveSeries() throws IOException {
    for (int i = 0; i < 1_000; i++) {
      metrics.recoveries().opened("MADE-UP-" + i);
      metrics.recoveries().lost("MADE-UP-" + i, new LostGpuSeconds(1, 1, 1));
    }

    assertThat(lines("rekindle_recoveries_opened_total")).hasSize(RecoveryMetrics.MOST_CAUSES + 1);
    int others = 1_000 + CauseReason.values().length - RecoveryMetrics.MOST_CAUSES;
    assertThat(lines("rekindle_recoveries_opened_total{cause=\"Other\"}"))
        .containsExactly("rekindle_recoveries_opened_total{cause=\"Other\"} " + (double) others);
    assertThat(lines("rekindle_lost_gpu_seconds_total"))
        .hasSize(3 * (RecoveryMetrics.MOST_CAUSES + 1));
  }

  @Test
  void shouldShowWhatIsKnownOfAJob() throws IOException {
    LoggedSaves saves = new LoggedSaves(4, 400L, T0, 3, 60.0, 61.0, 100L, null, false, 40, null);
    TrainingTime time = new TrainingTime(T0, T0.plusSeconds(1_000), 1, 100, 50, 30, 20);

    SaveEconomics advice = new SaveEconomics(60, 3, 9_000, 120, 232.4, 0.9, 0.95, 36);

    metrics.jobs().show(JOB, saves, null, advice, true, time, OptionalDouble.of(1.3));

    String job = "{job=\"demo\",namespace=\"team\"} ";
    assertThat(lines("rekindle_job_"))
        .contains(
            "rekindle_job_checkpoint_interval_seconds" + job + "60.0",
            "rekindle_job_checkpoint_overdue" + job + "1.0",
            "rekindle_job_best_checkpoint_interval_seconds" + job + "232.4",
            "rekindle_job_checkpoint_interval_cost_gpus" + job + "1.5",
            "rekindle_job_effective_training_time_ratio" + job + "0.8",
            "rekindle_job_step_time_ratio" + job + "1.3",
            "rekindle_job_last_checkpoint_timestamp_seconds{job=\"demo\",namespace=\"team\","
                + "source=\"log\"} "
                + T0.toEpochMilli() / 1000.0,
            "rekindle_job_time_seconds{bucket=\"productive\",job=\"demo\",namespace=\"team\"}"
                + " 800.0");
    assertThat(lines("rekindle_job_time_seconds")).hasSize(5);
    assertThat(lines("checkpoint_duration")).isEmpty();
    assertThat(lines("source=\"scan\"")).isEmpty();
  }

  @Test
  void shouldLeaveNothingOfAJobThatIsGone() throws IOException {
    TrainingTime time = new TrainingTime(T0, T0.plusSeconds(1_000), 1, 100, 50, 30, 20);
    metrics.jobs().show(JOB, null, T0, null, false, time, OptionalDouble.empty());
    assertThat(lines("demo")).isNotEmpty();

    metrics.jobs().forget(JOB);

    assertThat(lines("demo")).isEmpty();
  }

  @Test
  void shouldShowSoManyJobsAndCountTheRest() throws IOException {
    for (int i = 0; i < JobMetrics.MOST + 3; i++) {
      metrics
          .jobs()
          .show(new JobKey("team", "j" + i), null, null, null, false, null, OptionalDouble.empty());
    }

    assertThat(lines("rekindle_job_checkpoint_overdue")).hasSize(JobMetrics.MOST);
    assertThat(lines("rekindle_jobs_without_series"))
        .containsExactly("rekindle_jobs_without_series 3.0");

    metrics.jobs().forget(new JobKey("team", "j0"));
    metrics
        .jobs()
        .show(
            new JobKey("team", "j" + JobMetrics.MOST),
            null,
            null,
            null,
            false,
            null,
            OptionalDouble.empty());

    assertThat(lines("rekindle_jobs_without_series"))
        .containsExactly("rekindle_jobs_without_series 2.0");

    metrics.jobs().forget(new JobKey("team", "j" + (JobMetrics.MOST + 1)));

    assertThat(lines("rekindle_jobs_without_series"))
        .containsExactly("rekindle_jobs_without_series 1.0");
  }
}
