package dev.rekindle.controller.telemetry;

import dev.rekindle.api.ShadowAction;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;

/** Metrics of mode {@code observe}: what would have been done, and whether that was right. */
public final class ShadowMetrics {
  private final Counter would;
  private final Counter judged;

  ShadowMetrics(PrometheusRegistry registry) {
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
    for (ShadowAction what : ShadowAction.values()) {
      would.initLabelValues(what.word());
    }
  }

  /** Something would have been done, had the mode been another. */
  public void would(String what) {
    would.labelValues(what).inc();
  }

  /** What followed has shown whether it would have been right. */
  public void judged(String what, String verdict) {
    judged.labelValues(what, verdict).inc();
  }
}
