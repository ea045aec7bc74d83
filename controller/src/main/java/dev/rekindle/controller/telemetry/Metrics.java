package dev.rekindle.controller.telemetry;

import dev.rekindle.api.CauseReason;
import dev.rekindle.api.LostGpuSeconds;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.ResumeResult;
import dev.rekindle.api.ShadowAction;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.network.RdmaProof;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** The controller's own metrics; {@code docs/operations/monitoring.md} lists them. */
public final class Metrics {
  private static final double[] SECONDS = {
    0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600, 1800
  };

  /** Causes with series of their own, at most. */
  static final int MOST_CAUSES = 200;

  private static final String OTHER = "Other";
  private static final List<String> BUCKETS = List.of("detection", "restart", "repeated");
  private static final List<RecoveryPhase> OUTCOMES =
      Stream.of(RecoveryPhase.values()).filter(RecoveryPhase::isTerminal).toList();

  /** Why a faulty node is left as it is. */
  private static final List<Reason> UNFENCED =
      List.of(
          Reason.BREAKER_OPEN,
          Reason.FENCE_QUOTA_REACHED,
          Reason.FENCE_AWAITS_APPROVAL,
          Reason.FENCE_PAUSED,
          Reason.NODE_KEPT_FENCED,
          Reason.TOO_MANY_FAULTS,
          Reason.WOULD_FENCE);

  /** What becomes of warm spares. */
  private static final List<String> SPARES = List.of("created", "released", "removed");

  private final Set<String> causes = ConcurrentHashMap.newKeySet();
  private final Counter opened;
  private final Counter ended;
  private final Counter refused;
  private final Counter fenced;
  private final Counter unfenced;
  private final Counter unwritten;
  private final Counter would;
  private final Counter lemons;
  private final Counter judged;
  private final Counter foreign;
  private final Counter recoveriesUnwritten;
  private final Counter lost;
  private final Counter resumes;
  private final Counter networks;
  private final Counter spares;
  private final JobMetrics jobs;
  private final Histogram phaseSeconds;
  private final Histogram downtimeSeconds;

  /** Registers the metrics. */
  public Metrics(PrometheusRegistry registry) {
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
    fenced =
        Counter.builder()
            .name("rekindle_nodes_fenced_total")
            .help("Cordons placed by Rekindle.")
            .register(registry);
    lemons =
        Counter.builder()
            .name("rekindle_nodes_lemon_total")
            .help("Nodes that got the label rekindle.dev/lemon.")
            .register(registry);
    would =
        Counter.builder()
            .name("rekindle_shadow_would_total")
            .help("Actions that mode observe recorded and did not carry out: Fence, Restart.")
            .labelNames("what")
            .register(registry);
    judged =
        Counter.builder()
            .name("rekindle_shadow_judged_total")
            .help(
                "Actions that mode observe recorded, by what happened next: Right, Wrong, Unknown.")
            .labelNames("what", "verdict")
            .register(registry);
    foreign =
        Counter.builder()
            .name("rekindle_foreign_reports_total")
            .help("Pods that an agent reported although they are on another node; ignored.")
            .register(registry);
    foreign.initLabelValues();
    spares =
        Counter.builder()
            .name("rekindle_spare_changes_total")
            .help("Warm spares that were created, released for a pod of their gang, or removed.")
            .labelNames("what")
            .register(registry);
    SPARES.forEach(spares::initLabelValues);
    unfenced =
        Counter.builder()
            .name("rekindle_nodes_not_fenced_total")
            .help("Nodes with a fault that were not cordoned, or that stay cordoned, by reason.")
            .labelNames("reason")
            .register(registry);
    unwritten =
        Counter.builder()
            .name("rekindle_node_writes_failed_total")
            .help("Writes of nodes and NodeFaults that were not accepted, by HTTP status.")
            .labelNames("status")
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
    jobs = new JobMetrics(registry);
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
    fenced.initLabelValues();
    lemons.initLabelValues();
    Stream.of(Reason.values())
        .filter(r -> r.action().equals("Refuse"))
        .map(Reason::word)
        .forEach(refused::initLabelValues);
    UNFENCED.stream().map(Reason::word).forEach(unfenced::initLabelValues);
    for (String status : List.of("403", "409", "422", "429", "500", "503", "no answer")) {
      unwritten.initLabelValues(status);
      recoveriesUnwritten.initLabelValues(status);
    }
    for (ShadowAction what : ShadowAction.values()) {
      would.initLabelValues(what.word());
    }
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

  /** The series of single jobs. */
  public JobMetrics jobs() {
    return jobs;
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

  /** A warm spare was created, released or removed. */
  public void spare(String what) {
    spares.labelValues(what).inc();
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

  /** A node was cordoned. */
  public void fenced() {
    fenced.inc();
  }

  /** A node was marked as a lemon. */
  public void lemon() {
    lemons.inc();
  }

  /** Something would have been done, had the mode been another. */
  public void would(String what) {
    would.labelValues(what).inc();
  }

  /** What followed has shown whether it would have been right. */
  public void judged(String what, String verdict) {
    judged.labelValues(what, verdict).inc();
  }

  /** An agent reported on so many pods that are not on its node. */
  public void foreign(long pods) {
    foreign.inc(pods);
  }

  /** A faulty node was left as it is, for that reason. */
  public void unfenced(Reason reason) {
    unfenced.labelValues(reason.word()).inc();
  }

  /** Something about a node was not written: the HTTP status, or that no answer came. */
  public void notWritten(String status) {
    unwritten.labelValues(status).inc();
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
