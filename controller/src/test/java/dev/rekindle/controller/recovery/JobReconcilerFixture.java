package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.job;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.HistoryLimits;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.model.RestartMode;
import dev.rekindle.controller.port.ClusterGateway.CallException;
import dev.rekindle.controller.port.ClusterGateway.RefusedException;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.controller.port.ClusterGateway.UnavailableException;
import dev.rekindle.controller.recovery.RefusingCluster.Call;
import dev.rekindle.controller.runtime.ParallelExecutor;
import dev.rekindle.controller.telemetry.Metrics;
import dev.rekindle.detect.SteadyClock;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** A job, a fault and a cluster that refuses calls. */
abstract class JobReconcilerFixture {
  static final Duration LOOK = Duration.ofMillis(200);
  static final String TEXT = "admission webhook \"guard\" denied the request";

  static RefusingCluster cluster(CallKind refused) {
    Given.Job job = job().restartMode(RestartMode.REBUILD);
    RefusingCluster cluster =
        new RefusingCluster(refused == CallKind.REVIVE ? job.failed(T0, "pod failed") : job);
    cluster.fault(fault("node-1", "XID-79", FenceGuidance.ALWAYS));
    return cluster;
  }

  static RuntimeException answer(int status) {
    return switch (status) {
      case 409 -> new StaleException(TEXT);
      case 429 -> new UnavailableException(status, TEXT, Duration.ofSeconds(1));
      case 0, 500, 503 -> new UnavailableException(status, TEXT, Duration.ZERO);
      default -> new RefusedException(status, TEXT);
    };
  }

  static JobReconciler reconciler(RefusingCluster cluster) {
    return reconciler(cluster, new Metrics(new PrometheusRegistry()));
  }

  static JobReconciler reconciler(RefusingCluster cluster, Metrics metrics) {
    return reconciler(cluster, metrics, SteadyClock.over(() -> cluster.now));
  }

  static JobReconciler reconciler(RefusingCluster cluster, Metrics metrics, SteadyClock steady) {
    return new JobReconciler(
        cluster.state,
        cluster,
        metrics,
        () -> cluster.now,
        ParallelExecutor.inOrder(),
        steady,
        HistoryLimits.DEFAULT);
  }

  /** Looks far more often than anything requests, as watches make it do. */
  static void run(RefusingCluster cluster, JobReconciler reconciler, Duration time) {
    Instant end = cluster.now.plus(time);
    while (cluster.now.isBefore(end)) {
      try {
        var _ = reconciler.reconcile(cluster.job().key());
      } catch (CallException | StaleException failed) {
        // The queue looks again.
      }
      cluster.check();
      cluster.now = cluster.now.plus(LOOK);
    }
  }

  static RecoveryStatus status(RefusingCluster cluster) {
    return cluster.recovery().map(RecoveryView::status).orElseThrow();
  }

  static long mostPerMinute(RefusingCluster cluster, CallKind kind) {
    List<Instant> times =
        cluster.calls.stream().filter(c -> c.kind() == kind).map(Call::at).toList();
    return times.stream()
        .mapToLong(
            from ->
                times.stream()
                    .filter(t -> !t.isBefore(from) && t.isBefore(from.plusSeconds(60)))
                    .count())
        .max()
        .orElse(0);
  }
}
