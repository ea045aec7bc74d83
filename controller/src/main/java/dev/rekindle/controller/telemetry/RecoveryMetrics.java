package dev.rekindle.controller.telemetry;

import dev.rekindle.api.CauseReason;
import dev.rekindle.api.LostGpuSeconds;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.ResumeResult;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.network.RdmaProof;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** Metrics of recoveries. */
public final class RecoveryMetrics {
  private static final double[] SECONDS = {
    0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600, 1800
  };

  /** Causes with series of their own, at most. */
  static final int MOST_CAUSES = 200;

  private static final String OTHER = "Other";
  private static final List<String> BUCKETS = List.of("detection", "restart", "repeated");
  private static final List<RecoveryPhase> OUTCOMES =
      Stream.of(RecoveryPhase.values()).filter(RecoveryPhase::isTerminal).toList();

  private final Set<String> causes = ConcurrentHashMap.newKeySet();
  private final Counter opened;
  private final Counter ended;
  private final Counter refused;
  private final Counter recoveriesUnwritten;
  private final Counter lost;
  private final Counter resumes;
  private final Counter networks;
  private final Histogram phaseSeconds;
  private final Histogram downtimeSeconds;

  RecoveryMetrics(PrometheusRegistry registry) {
    opened =
        Counter.builder()
            .name("rekindle_recoveries_opened_total")
            .help("Opened recoveries, by cause.")
            .labelNames("cause")
            .register(registry);
    ended =
        Counter.builder()
            .name("rekindle_recoveries_ended_total")
            .help("Ended recoveries, by cause and outcome.")
            .labelNames("cause", "outcome")
            .register(registry);
    refused =
        Counter.builder()
            .name("rekindle_recoveries_refused_total")
            .help("Events that say why a job is not recovered, by reason; repeated each hour.")
            .labelNames("reason")
            .register(registry);
    recoveriesUnwritten =
        Counter.builder()
            .name("rekindle_recovery_writes_failed_total")
            .help("Writes of Recoveries and their status that were not accepted, by HTTP status.")
            .labelNames("status")
            .register(registry);
    lost =
        Counter.builder()
            .name("rekindle_lost_gpu_seconds_total")
            .help("GPU-seconds that failures of recovered jobs cost: detection, restart, repeated.")
            .labelNames("cause", "bucket")
            .register(registry);
    resumes =
        Counter.builder()
            .name("rekindle_resumes_total")
            .help(
                "Attempts, by whether they resumed from the pinned checkpoint: Proven, LoadError,"
                    + " ...")
            .labelNames("result")
            .register(registry);
    Stream.of(ResumeResult.values()).map(ResumeResult::word).forEach(resumes::initLabelValues);
    networks =
        Counter.builder()
            .name("rekindle_rdma_restored_total")
            .help("Restarted gangs of jobs with RDMA, by what NCCL uses now: OnRdma, ...")
            .labelNames("result")
            .register(registry);
    Stream.of(RdmaProof.Finding.values())
        .map(RdmaProof.Finding::word)
        .forEach(networks::initLabelValues);
    phaseSeconds =
        Histogram.builder()
            .name("rekindle_recovery_phase_seconds")
            .help("Time that recoveries spent in each phase.")
            .labelNames("phase")
            .classicUpperBounds(SECONDS)
            .register(registry);
    beginAtZero();
    downtimeSeconds =
        Histogram.builder()
            .name("rekindle_recovery_downtime_seconds")
            .help("Time from detection to the first new step, by cause.")
            .labelNames("cause")
            .classicUpperBounds(SECONDS)
            .register(registry);
  }

  /** What begins absent has no first increase: alerts would miss it. */
  private void beginAtZero() {
    Stream.of(CauseReason.values()).map(CauseReason::word).forEach(this::known);
    Stream.of(Reason.values())
        .filter(r -> r.action().equals("Refuse"))
        .map(Reason::word)
        .forEach(refused::initLabelValues);
    NodeMetrics.STATUSES.forEach(recoveriesUnwritten::initLabelValues);
  }

  /**
   * The cause as a label. Codes of NodeFaults are an open vocabulary, and each writer of one can
   * add to it: beyond {@link #MOST_CAUSES} they count as one.
   */
  private String known(String cause) {
    if (causes.contains(cause)) {
      return cause;
    }
    String label = causes.size() < MOST_CAUSES ? cause : OTHER;
    if (causes.add(label)) {
      opened.initLabelValues(label);
      OUTCOMES.forEach(outcome -> ended.initLabelValues(label, outcome.word()));
      BUCKETS.forEach(bucket -> lost.initLabelValues(label, bucket));
    }
    return label;
  }

  /** A recovery was opened. */
  public void opened(String cause) {
    opened.labelValues(known(cause)).inc();
  }

  /** A failure is over, and this is what it has cost. */
  public void lost(String cause, LostGpuSeconds work) {
    String label = known(cause);
    lost.labelValues(label, "detection").inc(work.detection());
    lost.labelValues(label, "restart").inc(work.restart());
    lost.labelValues(label, "repeated").inc(work.repeated());
  }

  /** It is known what a restarted gang has made of its checkpoint. */
  public void resumed(ResumeResult result) {
    resumes.labelValues(result.word()).inc();
  }

  /**
   * It is known what carries the data of a restarted gang.
   *
   * @param result a word of {@link RdmaProof.Finding}; another one counts for nothing
   */
  public void network(String result) {
    if (Stream.of(RdmaProof.Finding.values()).anyMatch(f -> f.word().equals(result))) {
      networks.labelValues(result).inc();
    }
  }

  /** A recovery reached a terminal phase. */
  public void ended(String cause, RecoveryPhase outcome) {
    ended.labelValues(known(cause), outcome.word()).inc();
  }

  /** A failing job was left alone. */
  public void refused(Reason reason) {
    refused.labelValues(reason.word()).inc();
  }

  /** A Recovery or its status was not written: the HTTP status, or that no answer came. */
  public void recoveryNotWritten(String status) {
    recoveriesUnwritten.labelValues(status).inc();
  }

  /** A phase was left after so many seconds. */
  public void phase(RecoveryPhase phase, double seconds) {
    phaseSeconds.labelValues(phase.word()).observe(seconds);
  }

  /** A job trains again after so many seconds. */
  public void downtime(String cause, double seconds) {
    downtimeSeconds.labelValues(known(cause)).observe(seconds);
  }
}
