package dev.rekindle.agent.telemetry;

import dev.rekindle.detect.fault.FaultMetrics;
import dev.rekindle.detect.kernelfault.FaultSink;
import dev.rekindle.detect.kmsg.KmsgStatistics;
import dev.rekindle.detect.probes.BuildInfo;
import dev.rekindle.detect.restart.RestartMetrics;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/** The agent's metrics, all named {@code rekindle_agent_*}. */
public final class AgentMetrics implements FaultMetrics, FaultSink.Metrics, RestartMetrics {
  private final PrometheusRegistry registry;
  private final Counter faults;
  private final Counter reports;
  private final Counter failures;
  private final Counter killed;
  private final Counter problems;
  private final Counter verdicts;
  private final Counter rules;
  private final Counter taken;
  private final Counter dropped;

  /** Registers them, all at zero. */
  public AgentMetrics(PrometheusRegistry registry) {
    this.registry = registry;
    BuildInfo.register(registry, "agent");
    faults =
        Counter.builder()
            .name("rekindle_agent_faults_total")
            .help("Kernel log records that reported a fault, by code.")
            .labelNames("code")
            .register(registry);
    reports =
        Counter.builder()
            .name("rekindle_agent_rank_reports_total")
            .help("RankReports written.")
            .register(registry);
    failures =
        Counter.builder()
            .name("rekindle_agent_write_failures_total")
            .help("Failed writes to the API server, by kind.")
            .labelNames("kind")
            .register(registry);
    killed =
        Counter.builder()
            .name("rekindle_agent_killed_containers_total")
            .help("Training containers ended for a restart in place, or because their pod is gone.")
            .register(registry);
    problems =
        Counter.builder()
            .name("rekindle_agent_restart_problems_total")
            .help("RestartOrders that this node could not carry out.")
            .register(registry);
    verdicts =
        Counter.builder()
            .name("rekindle_agent_verdicts_total")
            .help("Kernel log records that were judged, by source and verdict.")
            .labelNames("source", "verdict")
            .register(registry);
    rules =
        Counter.builder()
            .name("rekindle_agent_rules_refused_total")
            .help("Invalid files of rules; the previous rules stay in force.")
            .register(registry);
    rules.initLabelValues();
    taken =
        Counter.builder()
            .name("rekindle_agent_rules_taken_total")
            .help("Files of rules that replaced the previous ones.")
            .register(registry);
    taken.initLabelValues();
    dropped =
        Counter.builder()
            .name("rekindle_agent_faults_dropped_total")
            .help("Faults that were not written: refused, or above the limit of the node, by code.")
            .labelNames("code")
            .register(registry);
    reports.initLabelValues();
    killed.initLabelValues();
    problems.initLabelValues();
  }

  /** Where they are registered. */
  public PrometheusRegistry registry() {
    return registry;
  }

  /** Publishes what the reader of the kernel log counts. */
  public void watchKmsg(Supplier<KmsgStatistics> kmsg) {
    counter("records", "Kernel log records read.", kmsg, KmsgStatistics::records);
    counter(
        "lost",
        "Kernel log records that were overwritten before they were read.",
        kmsg,
        KmsgStatistics::lost);
    counter(
        "malformed",
        "Pieces of the kernel log that are no valid record.",
        kmsg,
        KmsgStatistics::malformed);
    counter(
        "refused",
        "Kernel log records that could not be processed and are retried.",
        kmsg,
        KmsgStatistics::refused);
    counter(
        "foreign",
        "Kernel log records that a process wrote; they are ignored.",
        kmsg,
        KmsgStatistics::foreign);
  }

  private void counter(
      String name, String help, Supplier<KmsgStatistics> kmsg, ToLongFunction<KmsgStatistics> of) {
    CounterWithCallback.builder()
        .name("rekindle_agent_kmsg_" + name + "_total")
        .help(help)
        .callback(callback -> callback.call((double) of.applyAsLong(kmsg.get())))
        .register(registry);
  }

  /** Publishes how many pods are followed. */
  public void watchPods(IntSupplier followed) {
    GaugeWithCallback.builder()
        .name("rekindle_agent_followed_pods")
        .help("Pods whose log the agent reads.")
        .callback(callback -> callback.call(followed.getAsInt()))
        .register(registry);
  }

  /** Publishes how many pods are given up as their log makes the reading of it fail. */
  public void watchUnread(IntSupplier unread) {
    GaugeWithCallback.builder()
        .name("rekindle_agent_unread_pods")
        .help("Pods whose log is no longer read, because reading it failed.")
        .callback(callback -> callback.call(unread.getAsInt()))
        .register(registry);
  }

  /** Publishes how many containers are frozen. */
  public void watchFrozen(IntSupplier frozen) {
    GaugeWithCallback.builder()
        .name("rekindle_agent_frozen_containers")
        .help("Training containers that are frozen, or about to be.")
        .callback(callback -> callback.call(frozen.getAsInt()))
        .register(registry);
  }

  @Override
  public void killed() {
    killed.inc();
  }

  @Override
  public void problem() {
    problems.inc();
  }

  @Override
  public void fault(String code, long count) {
    faults.labelValues(code).inc(count);
  }

  @Override
  public void judged(String source, String verdict) {
    verdicts.labelValues(source, verdict).inc();
  }

  @Override
  public void dropped(String code) {
    dropped.labelValues(code).inc();
  }

  /** Publishes how many faults could not be written and are tried again. */
  public void watchAside(IntSupplier aside) {
    GaugeWithCallback.builder()
        .name("rekindle_agent_faults_set_aside")
        .help("Faults that the API server refused and that the agent retries.")
        .callback(callback -> callback.call(aside.getAsInt()))
        .register(registry);
  }

  /** A file of rules was taken up. */
  public void rulesTaken() {
    taken.inc();
  }

  /** A file of rules was wrong. */
  public void rulesRefused() {
    rules.inc();
  }

  /** A RankReport was written. */
  public void report() {
    reports.inc();
  }

  @Override
  public void writeFailed(String kind) {
    failures.labelValues(kind).inc();
  }
}
