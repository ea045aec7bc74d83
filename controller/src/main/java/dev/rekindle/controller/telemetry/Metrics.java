package dev.rekindle.controller.telemetry;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;

/** The controller's own metrics; {@code docs/operations/monitoring.md} lists them. */
public final class Metrics {
  /** What becomes of warm spares. */
  private static final List<String> SPARES = List.of("created", "released", "removed");

  private final RecoveryMetrics recoveries;
  private final NodeMetrics nodes;
  private final ShadowMetrics shadow;
  private final JobMetrics jobs;
  private final Counter foreign;
  private final Counter spares;

  /** Registers the metrics. */
  public Metrics(PrometheusRegistry registry) {
    recoveries = new RecoveryMetrics(registry);
    nodes = new NodeMetrics(registry);
    shadow = new ShadowMetrics(registry);
    jobs = new JobMetrics(registry);
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
  }

  /** Those of recoveries. */
  public RecoveryMetrics recoveries() {
    return recoveries;
  }

  /** Those of nodes. */
  public NodeMetrics nodes() {
    return nodes;
  }

  /** Those of mode {@code observe}. */
  public ShadowMetrics shadow() {
    return shadow;
  }

  /** The series of single jobs. */
  public JobMetrics jobs() {
    return jobs;
  }

  /** A warm spare was created, released or removed. */
  public void spare(String what) {
    spares.labelValues(what).inc();
  }

  /** An agent reported on so many pods that are not on its node. */
  public void foreign(long pods) {
    foreign.inc(pods);
  }
}
