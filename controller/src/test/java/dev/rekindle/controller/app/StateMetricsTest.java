package dev.rekindle.controller.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.IgnoredChanges;
import dev.rekindle.controller.Policies;
import dev.rekindle.controller.cache.FlatState;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.PodView;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What gauges of the cluster show, read as Prometheus reads them. */
class StateMetricsTest {
  private final FlatState state = new FlatState(new IgnoredChanges());
  private final PrometheusRegistry registry = new PrometheusRegistry();
  private int version;

  @BeforeEach
  void register() {
    new StateMetrics(state, () -> Given.T0.plusSeconds(100)).register(registry);
  }

  private void recovery(String name, RecoveryPhase phase, long since, @Nullable String hold) {
    var condition =
        new ConditionBuilder()
            .withType("Progressing")
            .withStatus("False")
            .withReason(hold == null ? phase.word() : hold)
            .build();
    var status =
        new RecoveryStatus(
            phase,
            Given.T0.plusSeconds(since),
            1,
            null,
            null,
            null,
            null,
            List.of(),
            List.of(condition));
    state.recoveryFeed().present("team/" + name, next(), Given.recovery(name, Given.T0, status));
  }

  private void node(String name, String fencedBy) {
    state
        .nodeFeed()
        .present(name, next(), Given.node(name, Readiness.READY, Given.T0, true, fencedBy));
  }

  private String next() {
    return Integer.toString(++version);
  }

  private List<String> lines(String name) {
    return Exposed.lines(registry, name);
  }

  @Test
  void shouldShowZeroForEachPhaseAndReasonBeforeAnythingHappens() {
    assertThat(lines("rekindle_open_recoveries"))
        .hasSize(7)
        .contains("rekindle_open_recoveries{phase=\"Held\"} 0.0")
        .allMatch(line -> line.endsWith(" 0.0"));
    assertThat(lines("rekindle_held_recoveries")).hasSize(13).allMatch(l -> l.endsWith(" 0.0"));
    assertThat(lines("rekindle_fenced_nodes")).containsExactly("rekindle_fenced_nodes 0.0");
    assertThat(lines("rekindle_breaker_places"))
        .containsExactly(
            "rekindle_breaker_places{state=\"free\"} 0.0",
            "rekindle_breaker_places{state=\"taken\"} 0.0");
  }

  @Test
  void shouldCountOpenRecoveriesByPhaseWithTheAgeOfTheOldestAndHeldOnesByReason() {
    recovery("a", RecoveryPhase.DRAINING, 10, null);
    recovery("b", RecoveryPhase.DRAINING, 40, null);
    recovery("c", RecoveryPhase.HELD, 70, "NoCapacity");
    recovery("d", RecoveryPhase.RECOVERED, 0, null);
    // A clock that was set back gives no negative age.
    recovery("e", RecoveryPhase.PLANNING, 500, null);

    assertThat(lines("rekindle_open_recoveries"))
        .contains(
            "rekindle_open_recoveries{phase=\"Draining\"} 2.0",
            "rekindle_open_recoveries{phase=\"Held\"} 1.0",
            "rekindle_open_recoveries{phase=\"Planning\"} 1.0")
        .noneMatch(line -> line.contains("Recovered"));
    assertThat(lines("rekindle_recovery_phase_age_seconds"))
        .contains(
            "rekindle_recovery_phase_age_seconds{phase=\"Draining\"} 90.0",
            "rekindle_recovery_phase_age_seconds{phase=\"Planning\"} 0.0");
    assertThat(lines("rekindle_held_recoveries"))
        .contains(
            "rekindle_held_recoveries{reason=\"NoCapacity\"} 1.0",
            "rekindle_held_recoveries{reason=\"DrainBlocked\"} 0.0");
  }

  @Test
  void shouldCountNodesWhoseAgentDoesNotReportOnPodsOfAnOptedInJob() {
    var job = Given.job().view();
    var pods = Given.gang("").stream().map(p -> p.withCreated(Given.T0.minusSeconds(600))).toList();
    state.jobFeed().present(job.key().toString(), next(), job);
    pods.forEach(
        pod -> {
          node(pod.node(), "");
          state.podFeed().present("team/" + pod.name(), next(), pod);
        });
    report(pods.get(0), 95);
    report(pods.get(1), -21);

    assertThat(withoutReports()).isEqualTo("rekindle_nodes_without_reports 2.0");

    report(pods.get(1), 90);
    assertThat(withoutReports()).isEqualTo("rekindle_nodes_without_reports 1.0");

    var young = pods.get(2).withCreated(Given.T0);
    state.podFeed().present("team/" + young.name(), next(), young);
    assertThat(withoutReports()).isEqualTo("rekindle_nodes_without_reports 0.0");
  }

  @Test
  void shouldExpectNoReportOnAJobThatDidNotOptIn() {
    var job = Given.job().view().withOptIn(new OptIn.No());
    state.jobFeed().present(job.key().toString(), next(), job);
    for (var pod : Given.gang("")) {
      node(pod.node(), "");
      var old = pod.withCreated(Given.T0.minusSeconds(600));
      state.podFeed().present("team/" + pod.name(), next(), old);
    }

    assertThat(withoutReports()).isEqualTo("rekindle_nodes_without_reports 0.0");
  }

  private void report(PodView pod, long observed) {
    state
        .rankFeed()
        .present(
            "team/" + pod.name(),
            next(),
            Given.rank(pod, null, null, Given.T0.plusSeconds(observed)));
  }

  private String withoutReports() {
    return lines("rekindle_nodes_without_reports").getFirst();
  }

  @Test
  void shouldCountFencedNodesAndWhatTheBreakerHasLeft() {
    state
        .policyFeed()
        .present("default", next(), Policies.ofYaml("{mode: auto, fencing: {maxNodes: 3}}"));
    node("node-1", "team/a");
    node("node-2", "fault/x");
    node("node-3", "");

    assertThat(lines("rekindle_fenced_nodes")).containsExactly("rekindle_fenced_nodes 2.0");
    assertThat(lines("rekindle_breaker_places"))
        .containsExactly(
            "rekindle_breaker_places{state=\"free\"} 1.0",
            "rekindle_breaker_places{state=\"taken\"} 2.0");
  }
}
