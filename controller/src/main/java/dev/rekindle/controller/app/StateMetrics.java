package dev.rekindle.controller.app;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.FenceLimit;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RankView;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Metrics of what the cluster shows now, read off the views as they are requested. Each replica has
 * them, whether it leads or not: take the highest, not the sum.
 */
final class StateMetrics {
  /** Agents refresh the report on a pod every 20 s at the latest. */
  private static final Duration REPORTS = Duration.ofMinutes(2);

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
        .help("How long the oldest open recovery in a phase has been in it.")
        .labelNames("phase")
        .callback(to -> byPhase().forEach((phase, age) -> to.call(age.oldestSeconds(), phase)))
        .register(registry);
    GaugeWithCallback.builder()
        .name("rekindle_held_recoveries")
        .help("Held recoveries, by reason.")
        .labelNames("reason")
        .callback(to -> held().forEach((reason, count) -> to.call(count, reason)))
        .register(registry);
    GaugeWithCallback.builder()
        .name("rekindle_fenced_nodes")
        .help("Nodes with a cordon of Rekindle.")
        .callback(to -> to.call(fenced()))
        .register(registry);
    GaugeWithCallback.builder()
        .name("rekindle_nodes_without_reports")
        .help("Nodes with pods of opted-in jobs and no report of an agent for two minutes.")
        .callback(to -> to.call(withoutReports()))
        .register(registry);
    GaugeWithCallback.builder()
        .name("rekindle_spares")
        .help("Warm spares, by state: warm, or waiting for a node or an image.")
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
        .help(
            "Slots of the breaker: nodes that the policy default allows to be fenced, taken and"
                + " free.")
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

  /** A node counts once its agent should have reported on a pod, and has on none of them. */
  private int withoutReports() {
    Instant since = clock.instant().minus(REPORTS);
    Map<JobKey, Set<String>> reported = new HashMap<>();
    List<List<PodView>> followed =
        state.nodes().stream()
            .map(node -> state.podsOn(node.name()))
            .map(pods -> pods.stream().filter(pod -> isFollowed(pod, since)).toList())
            .filter(pods -> !pods.isEmpty())
            .toList();
    int without = 0;
    for (List<PodView> pods : followed) {
      boolean heard =
          pods.stream()
              .anyMatch(
                  pod ->
                      reported
                          .computeIfAbsent(pod.job(), key -> reportedOn(key, since))
                          .contains(pod.uid()));
      without += heard ? 0 : 1;
    }
    return without;
  }

  private boolean isFollowed(PodView pod, Instant since) {
    return pod.phase() == PodView.Phase.RUNNING
        && !pod.terminating()
        && pod.created().isBefore(since)
        && state
            .job(pod.job())
            .filter(job -> job.uid().equals(pod.jobUid()))
            .filter(job -> job.optIn() instanceof JobView.OptIn.Yes)
            .isPresent();
  }

  private Set<String> reportedOn(JobKey key, Instant since) {
    return state.ranks(key).stream()
        .filter(rank -> rank.observedTime() != null && rank.observedTime().isAfter(since))
        .map(RankView::podUid)
        .collect(Collectors.toSet());
  }

  private int limit() {
    return state
        .policy(RuledJob.DEFAULT)
        .map(policy -> FenceLimit.of(policy, state.nodes(), "").inAll())
        .orElse(0);
  }
}
