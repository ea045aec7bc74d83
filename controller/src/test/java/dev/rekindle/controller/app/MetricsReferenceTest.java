package dev.rekindle.controller.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.agent.telemetry.AgentMetrics;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.TrainingTime;
import dev.rekindle.controller.IgnoredChanges;
import dev.rekindle.controller.cache.FlatState;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.notification.NotificationMetrics;
import dev.rekindle.controller.runtime.WorkQueue.Backlog;
import dev.rekindle.controller.telemetry.Metrics;
import dev.rekindle.detect.probes.BuildInfo;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The list of metrics is written from what is exposed, and alerts and dashboard may use no other
 * name: a metric that is called again would end them without a sign.
 */
class MetricsReferenceTest {
  private static final Path PAGE = Path.of("..", "docs", "reference", "metrics.md");
  private static final Path FILES = Path.of("..", "charts", "rekindle", "files");
  private static final Pattern NAME = Pattern.compile("\\brekindle_[a-z0-9_]+");
  private static final Pattern HELP = Pattern.compile("# HELP (rekindle_\\w+) (.*)");

  private final PrometheusRegistry controller = controller();
  private final PrometheusRegistry agent = agent();

  private static PrometheusRegistry controller() {
    PrometheusRegistry registry = new PrometheusRegistry();
    BuildInfo.register(registry, "controller");
    var _ = new Metrics(registry);
    register(registry);
    return registry;
  }

  private static void register(PrometheusRegistry registry) {
    new StateMetrics(new FlatState(new IgnoredChanges()), () -> Instant.EPOCH).register(registry);
    new ProcessMetrics(
            () -> true,
            () -> Map.of("503", 3L),
            Map.of("jobs", () -> new Backlog(2, Duration.ofMillis(1500))))
        .register(registry);
    var _ = new NotificationMetrics(registry, List.of("ops"));
  }

  /** A gauge without a series is not exposed: those of jobs, watches and the clock. */
  private static PrometheusRegistry controllerWithOneJob() {
    PrometheusRegistry registry = new PrometheusRegistry();
    BuildInfo.register(registry, "controller");
    Metrics metrics = new Metrics(registry);
    register(registry);
    metrics.phase(RecoveryPhase.DRAINING, 1);
    metrics.judged("Fence", "Right");
    ProcessMetrics.bookmarks(registry).labelValues("nodes").set(1);
    ProcessMetrics.clockSkew(registry).set(1);
    metrics.downtime("Stalled", 1);
    metrics
        .jobs()
        .show(
            new JobKey("team", "demo"),
            null,
            Instant.EPOCH,
            null,
            true,
            new TrainingTime(Instant.EPOCH, Instant.EPOCH.plusSeconds(9), 1, 1, 1, 1, 1),
            OptionalDouble.of(1));
    return registry;
  }

  private static PrometheusRegistry agent() {
    PrometheusRegistry registry = new PrometheusRegistry();
    AgentMetrics metrics = new AgentMetrics(registry);
    metrics.watchAside(() -> 0);
    metrics.watchFrozen(() -> 0);
    metrics.watchPods(() -> 0);
    metrics.watchUnread(() -> 0);
    return registry;
  }

  /** Help by name, of what is registered, whether it has a series yet or not. */
  private static Map<String, String> help(PrometheusRegistry registry) {
    Map<String, String> help = new TreeMap<>();
    Exposed.text(registry)
        .lines()
        .map(HELP::matcher)
        .filter(Matcher::matches)
        .forEach(line -> help.put(line.group(1), line.group(2)));
    return help;
  }

  @ParameterizedTest
  @ValueSource(strings = {"alerts.yaml", "dashboard.json"})
  void shouldExposeEachMetricThatTheChartUses(String file) throws IOException {
    Set<String> exposed = new TreeSet<>(help(controllerWithOneJob()).keySet());
    exposed.addAll(help(agent).keySet());
    Set<String> used =
        NAME.matcher(Files.readString(FILES.resolve(file)))
            .results()
            .map(match -> match.group().replaceFirst("_(bucket|sum|count)$", ""))
            .collect(Collectors.toCollection(TreeSet::new));

    assertThat(used).hasSizeGreaterThan(10);
    assertThat(exposed).as("exposed, of those in charts/rekindle/files/%s", file).containsAll(used);
  }

  @Test
  void shouldBeginAtZeroWhereAnAlertWaitsForAnIncrease() {
    assertThat(Exposed.text(controller))
        .contains("rekindle_recoveries_ended_total{cause=\"Stalled\",outcome=\"Failed\"} 0.0")
        .contains("rekindle_recoveries_opened_total{cause=\"PodFailed\"} 0.0")
        .contains("rekindle_recoveries_refused_total{reason=\"BudgetExhausted\"} 0.0")
        .contains("rekindle_nodes_not_fenced_total{reason=\"BreakerOpen\"} 0.0")
        .contains("rekindle_nodes_fenced_total 0.0")
        .contains("rekindle_rdma_restored_total{result=\"NcclSocketFallback\"} 0.0")
        .contains("rekindle_node_writes_failed_total{status=\"403\"} 0.0")
        .contains("rekindle_lost_gpu_seconds_total{bucket=\"restart\",cause=\"Stalled\"} 0.0")
        .contains("rekindle_api_errors_total{status=\"403\"} 0.0");
  }

  @Test
  void shouldShowThisProcess() {
    assertThat(Exposed.text(controller))
        .contains("rekindle_leader 1.0")
        .contains("rekindle_api_errors_total{status=\"503\"} 3.0")
        .contains("rekindle_workqueue_depth{queue=\"jobs\"} 2.0")
        .contains("rekindle_workqueue_delay_seconds{queue=\"jobs\"} 1.5")
        .containsPattern("rekindle_build_info\\{component=\"controller\",version=\".+\"\\} 1.0");
  }

  @Test
  void shouldFindThePageAsTheRegistrySays() throws IOException {
    String wanted = page();
    String found = Files.exists(PAGE) ? Files.readString(PAGE) : "";
    if (!found.equals(wanted)) {
      Files.writeString(PAGE, wanted);
    }

    assertThat(found)
        .as("%s has been rewritten: review the difference, commit it, and run again", PAGE)
        .isEqualTo(wanted);
  }

  private String page() {
    return """
    # Metrics

    Written by the build from what the controller exposes on `/metrics`. Each replica shows
    the same cluster: take gauges of its state by `max`, not by `sum`. Causes are the words of
    `Recovery.status.cause.reason` and codes of NodeFaults, of which %d have series of their own; the rest is `Other`.
    Those of single jobs and of agents: [operations](../operations/monitoring.md#metrics).

    | metric | meaning |
    |---|---|
    """
            .formatted(200)
        + help(controllerWithOneJob()).entrySet().stream()
            .map(e -> "| `%s` | %s |%n".formatted(e.getKey(), e.getValue()))
            .collect(Collectors.joining());
  }
}
