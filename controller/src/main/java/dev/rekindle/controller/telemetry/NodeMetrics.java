package dev.rekindle.controller.telemetry;

import dev.rekindle.controller.model.Reason;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;

/** Metrics of nodes: fences, and what was not written of them. */
public final class NodeMetrics {
  /** Answers of an API server that does not accept a write. */
  static final List<String> STATUSES =
      List.of("403", "409", "422", "429", "500", "503", "no answer");

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

  private final Counter fenced;
  private final Counter unfenced;
  private final Counter unwritten;
  private final Counter lemons;

  NodeMetrics(PrometheusRegistry registry) {
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
    // What begins absent has no first increase: alerts would miss it.
    fenced.initLabelValues();
    lemons.initLabelValues();
    UNFENCED.stream().map(Reason::word).forEach(unfenced::initLabelValues);
    STATUSES.forEach(unwritten::initLabelValues);
  }

  /** A node was cordoned. */
  public void fenced() {
    fenced.inc();
  }

  /** A node was marked as a lemon. */
  public void lemon() {
    lemons.inc();
  }

  /** A faulty node was left as it is, for that reason. */
  public void unfenced(Reason reason) {
    unfenced.labelValues(reason.word()).inc();
  }

  /** Something about a node was not written: the HTTP status, or that no answer came. */
  public void notWritten(String status) {
    unwritten.labelValues(status).inc();
  }
}
