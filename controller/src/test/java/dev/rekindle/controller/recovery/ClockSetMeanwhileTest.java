package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.JobRef;
import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.RestartWay;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.telemetry.Metrics;
import dev.rekindle.detect.SteadyClock;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A clock that is set between the reading of what is there and the decision on it. */
class ClockSetMeanwhileTest {
  private static final String ME = "demo-r1";
  private static final Duration LINGERS = Duration.ofSeconds(5);
  private static final int MAX_LOOKS = 1_000;

  private Duration passed = Duration.ZERO;
  private int reads;
  private final RefusingCluster cluster = new RefusingCluster(job().suspended(ME, true));
  private final JobReconciler reconciler =
      JobReconcilerFixture.reconciler(
          cluster, new Metrics(new PrometheusRegistry()), SteadyClock.of(() -> passed.toNanos()));

  /** A plan that waits for what may still run on a machine whose Node was deleted. */
  private void plan() {
    RecoverySpec spec =
        new RecoverySpec(
            JobRef.pyTorchJob(cluster.job().key().name(), cluster.job().uid()), cluster.now, null);
    Cause cause =
        new Cause("NodeSilent", "", List.of(), List.of(), List.of("node-9"), List.of(), null);
    RecoveryStatus begun = RecoveryStatusBuilder.begin(cause, List.of(), cluster.now);
    Plan plan = new Plan(RestartWay.REBUILD, "", List.of(), List.of(), Map.of(), null);
    RecoveryStatus planning =
        RecoveryStatusBuilder.enter(
            begun.withPlan(plan), RecoveryPhase.PLANNING, "drained", cluster.now);
    RecoveryView draft = new RecoveryView(cluster.job().key().namespace(), ME, "", "", spec, null);
    var _ = cluster.save(cluster.open(draft).with(planning));
  }

  private RecoveryStatus status() {
    return cluster.recovery().map(RecoveryView::status).orElseThrow();
  }

  @ParameterizedTest
  @CsvSource({"-3491, 1", "-3491, 3", "-3491, 5", "3491, 1", "3491, 3", "3491, 5"})
  void shouldWaitNeitherLongerNorShorter(long step, int read) {
    plan();
    cluster.meanwhile =
        () -> {
          if (++reads == read) {
            cluster.now = cluster.now.plusSeconds(step);
          }
        };

    for (int i = 0; i < MAX_LOOKS && status().phase() == RecoveryPhase.PLANNING; i++) {
      Duration again = reconciler.reconcile(cluster.job().key()).orElse(Duration.ZERO);
      if (status().phase() == RecoveryPhase.PLANNING) {
        // A watch makes it look in between as well.
        assertThat(again).isPositive().isLessThanOrEqualTo(LINGERS);
        Duration pause = again.dividedBy(2).plusMillis(10);
        passed = passed.plus(pause);
        cluster.now = cluster.now.plus(pause);
      }
    }

    assertThat(reads).isGreaterThan(5);
    assertThat(passed).isBetween(LINGERS, LINGERS.plusSeconds(1));
    assertThat(status().plan())
        .extracting(Plan::checkpoint)
        .extracting(PinnedCheckpoint::verdict)
        .isEqualTo(CheckpointVerdict.VALID);
  }
}
