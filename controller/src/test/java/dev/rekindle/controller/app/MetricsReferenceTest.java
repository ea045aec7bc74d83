package dev.rekindle.controller.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.agent.faults.DeviceMetrics;
import dev.rekindle.agent.telemetry.AgentMetrics;
import dev.rekindle.api.LoggedSaves;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.SaveEconomics;
import dev.rekindle.api.TrainingTime;
import dev.rekindle.controller.IgnoredChanges;
import dev.rekindle.controller.cache.FlatState;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.notification.NotificationMetrics;
import dev.rekindle.controller.runtime.WorkQueue.Backlog;
import dev.rekindle.controller.telemetry.Metrics;
import dev.rekindle.detect.kmsg.KmsgStatistics;
import dev.rekindle.detect.nvml.NvmlState;
import dev.rekindle.detect.nvml.NvmlStatistics;
import dev.rekindle.detect.probes.BuildInfo;
import dev.rekindle.detect.rdma.NicStatistics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
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
import java.util.function.Predicate;
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
  private static final String JOB = "rekindle_job_";
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
    metrics.recoveries().phase(RecoveryPhase.DRAINING, 1);
    metrics.shadow().judged("Fence", "Right");
    ProcessMetrics.bookmarks(registry).labelValues("nodes").set(1);
    ProcessMetrics.clockSkew(registry).set(1);
    metrics.recoveries().downtime("Stalled", 1);
    metrics
        .jobs()
        .show(
            new JobKey("team", "demo"),
            new LoggedSaves(1, 1L, Instant.EPOCH, 1, 1.0, 1.0, 1L, 1.0, false, 0, null),
            Instant.EPOCH,
            new SaveEconomics(1, 1, 1, 1, 1, 1, 1, 1),
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
    metrics.watchKmsg(() -> new KmsgStatistics(0, 0, 0, 0, 0, 0, -1, true));
    metrics.fault("XID-79", 1);
    metrics.judged("xid", "fence");
    metrics.dropped("XID-79");
    metrics.writeFailed("NodeFault");
    new DeviceMetrics(registry)
        .watch(
            () -> new NvmlStatistics(NvmlState.READING, 0, 0, 0, 0, Duration.ZERO),
            () -> new NicStatistics(0, 0, 0, Duration.ZERO, Duration.ZERO));
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
    Map<String, MetricSnapshot> all = snapshots(controllerWithOneJob());
    return """
    # Metrics

    Written by the build from what controller and agent expose on `/metrics`; which of them to start with:
    [monitoring](../operations/monitoring.md#metrics). Both also expose those of the JVM (`jvm_...`), but for its native
    memory.

    ## Controller

    Each replica shows the same cluster: take gauges of the cluster by `max`, not by `sum`. Only the replica that leads
    counts recoveries and fences. `cause` is a word of `Recovery.status.cause.reason` or a code of a NodeFault; the
    first %d have series of their own, the others count as `Other`.

    %s
    ## Single jobs

    Of unfinished jobs that opted in, at most 1,000; exposed by the controller.

    %s
    ## Agent

    %s\
    """
        .formatted(
            200,
            table(all, name -> !name.startsWith(JOB)),
            table(all, name -> name.startsWith(JOB)),
            table(snapshots(agent), _ -> true));
  }

  private static String table(Map<String, MetricSnapshot> all, Predicate<String> which) {
    return """
    | metric | type | labels | meaning |
    |---|---|---|---|
    """
        + all.entrySet().stream()
            .filter(e -> which.test(e.getKey()))
            .map(
                e ->
                    "| `%s` | %s | %s | %s |%n"
                        .formatted(
                            e.getKey(),
                            type(e.getValue()),
                            labels(e.getValue()),
                            e.getValue().getMetadata().getHelp()))
            .collect(Collectors.joining());
  }

  /** By name, as a query names them. A metric without a series would be listed without labels. */
  private static Map<String, MetricSnapshot> snapshots(PrometheusRegistry registry) {
    Map<String, MetricSnapshot> all = new TreeMap<>();
    registry
        .scrape()
        .forEach(
            metric -> {
              String name = metric.getMetadata().getPrometheusName();
              assertThat(metric.getDataPoints()).as("series of %s in this test", name).isNotEmpty();
              all.put(metric instanceof CounterSnapshot ? name + "_total" : name, metric);
            });
    return all;
  }

  private static String type(MetricSnapshot metric) {
    return switch (metric) {
      case CounterSnapshot _ -> "counter";
      case HistogramSnapshot _ -> "histogram";
      case GaugeSnapshot _ -> "gauge";
      default -> throw new IllegalStateException(metric.getMetadata().getName());
    };
  }

  private static String labels(MetricSnapshot metric) {
    return metric.getDataPoints().stream()
        .flatMap(point -> point.getLabels().stream())
        .map(label -> "`" + label.getName() + "`")
        .distinct()
        .sorted()
        .collect(Collectors.joining(", "));
  }
}
