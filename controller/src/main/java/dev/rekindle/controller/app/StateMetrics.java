package dev.rekindle.controller.app;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.FenceLimit;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.model.SpareView;
import dev.rekindle.controller.policy.RuledJob;
import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.controller.recovery.HoldReason;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Metrics of what the cluster shows now, read off the views as they are requested. Each replica has
 * them, whether it leads or not: take the highest, not the sum.
 */
final class StateMetrics {
  private final ClusterState state;
  private final InstantSource clock;

  StateMetrics(ClusterState state, InstantSource clock) {
    this.state = state;
    this.clock = clock;
  }

  void register(PrometheusRegistry registry) {
    GaugeWithCallback.builder()
        .name("rekindle_open_recoveries")
        .help("Recoveries that are not over, by phase.")
        .labelNames("phase")
        .callback(to -> byPhase().forEach((phase, age) -> to.call(age.count, phase)))
        .register(registry);
    GaugeWithCallback.builder()
        .name("rekindle_recovery_phase_age_seconds")
        .help("How long the open recovery is in its phase that entered it first, by phase.")
        .labelNames("phase")
        .callback(to -> byPhase().forEach((phase, age) -> to.call(age.oldestSeconds(), phase)))
        .register(registry);
    GaugeWithCallback.builder()
        .name("rekindle_held_recoveries")
        .help("Recoveries that are held, by reason.")
        .labelNames("reason")
        .callback(to -> held().forEach((reason, count) -> to.call(count, reason)))
        .register(registry);
    GaugeWithCallback.builder()
        .name("rekindle_fenced_nodes")
        .help("Nodes that carry a cordon of Rekindle.")
        .callback(to -> to.call(fenced()))
        .register(registry);
    GaugeWithCallback.builder()
        .name("rekindle_spares")
        .help("Warm spares: warm, waiting for a node or an image.")
        .labelNames("state")
        .callback(
            to -> {
              int warm = (int) state.spares().stream().filter(SpareView::warm).count();
              to.call(warm, "warm");
              to.call(state.spares().size() - warm, "waiting");
            })
        .register(registry);
    GaugeWithCallback.builder()
        .name("rekindle_breaker_places")
        .help("Nodes that the policy default allows to be fenced at one time: taken, free.")
        .labelNames("state")
        .callback(
            to -> {
              int taken = fenced();
              to.call(taken, "taken");
              to.call(Math.max(0, limit() - taken), "free");
            })
        .register(registry);
  }

  /** What is in a phase. */
  private static final class InPhase {
    private int count;
    private Duration oldest = Duration.ZERO;

    private void add(Duration age) {
      count++;
      oldest = age.compareTo(oldest) > 0 ? age : oldest;
    }

    private double oldestSeconds() {
      return oldest.toMillis() / 1000.0;
    }
  }

  private Map<String, InPhase> byPhase() {
    Instant now = clock.instant();
    Map<String, InPhase> phases = new TreeMap<>();
    Stream.of(RecoveryPhase.values())
        .filter(phase -> !phase.isTerminal())
        .forEach(phase -> phases.put(phase.word(), new InPhase()));
    for (RecoveryView recovery : open()) {
      RecoveryStatus status = recovery.status();
      RecoveryPhase phase =
          status == null || status.phase() == null ? RecoveryPhase.DETECTED : status.phase();
      Instant since =
          status == null || status.phaseSince() == null
              ? recovery.spec().detectedAt()
              : status.phaseSince();
      Objects.requireNonNull(phases.get(phase.word()))
          .add(since == null ? Duration.ZERO : Duration.between(since, now));
    }
    return phases;
  }

  private Map<String, Integer> held() {
    Map<String, Integer> reasons = new TreeMap<>();
    Stream.of(HoldReason.values()).forEach(reason -> reasons.put(reason.word(), 0));
    for (RecoveryView recovery : open()) {
      RecoveryStatus status = recovery.status();
      if (status != null) {
        HoldReason.of(status).ifPresent(reason -> reasons.merge(reason.word(), 1, Integer::sum));
      }
    }
    return reasons;
  }

  private List<RecoveryView> open() {
    return state.recoveries().stream().filter(RecoveryView::open).toList();
  }

  private int fenced() {
    return (int) state.nodes().stream().filter(NodeView::fencedByUs).count();
  }

  private int limit() {
    return state
        .policy(RuledJob.DEFAULT)
        .map(policy -> FenceLimit.of(policy, state.nodes(), "").inAll())
        .orElse(0);
  }
}
