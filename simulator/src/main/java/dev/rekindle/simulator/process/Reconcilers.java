package dev.rekindle.simulator.process;

import dev.rekindle.controller.fencing.FenceReconciler;
import dev.rekindle.controller.fencing.NodeWrites;
import dev.rekindle.controller.model.HistoryLimits;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.nodehealth.NodeHealthReconciler;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.controller.recovery.JobReconciler;
import dev.rekindle.controller.runtime.CompositeReconciler;
import dev.rekindle.controller.runtime.ParallelExecutor;
import dev.rekindle.controller.runtime.Reconciler;
import dev.rekindle.controller.telemetry.Metrics;
import dev.rekindle.detect.SteadyClock;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/**
 * What the controller works with: its two reconcilers.
 *
 * @param jobs reconciles jobs
 * @param nodes reconciles nodes
 */
public record Reconcilers(Reconciler<JobKey> jobs, Reconciler<String> nodes) {
  /** Makes them. Tests make broken ones. */
  @FunctionalInterface
  public interface Factory {
    /** Makes those of a process that has just started. */
    Reconcilers make(
        ClusterState state, ClusterGateway gateway, InstantSource clock, ParallelExecutor effects);

    /** From when on the lease lasts that a call has got: the controller counts from its sending. */
    default Instant leaseCountsFrom(Instant sent, Instant answered) {
      return sent;
    }
  }

  /** They are not scraped here; made once, since making them costs more than a recovery. */
  private static final Metrics METRICS = new Metrics(new PrometheusRegistry());

  /** The controller's own. */
  public static final Factory REAL =
      (state, gateway, clock, effects) ->
          new Reconcilers(
              new JobReconciler(
                  state, gateway, METRICS, clock, effects, steady(clock), HistoryLimits.DEFAULT),
              new CompositeReconciler<>(
                  List.of(
                      new FenceReconciler(
                          state, gateway, METRICS, clock, new NodeWrites(gateway, METRICS, clock)),
                      new NodeHealthReconciler(
                          state, gateway, clock, new NodeWrites(gateway, METRICS, clock)))));

  static SteadyClock steady(InstantSource clock) {
    return clock instanceof WallClock wall ? wall.steady() : SteadyClock.over(clock);
  }
}
