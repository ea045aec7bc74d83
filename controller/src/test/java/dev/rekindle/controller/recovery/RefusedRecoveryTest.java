package dev.rekindle.controller.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.recovery.RefusingCluster.Call;
import dev.rekindle.controller.telemetry.Metrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of a recovery whose object or status the API server refuses. */
class RefusedRecoveryTest extends JobReconcilerFixture {
  @ParameterizedTest
  @ValueSource(ints = {403, 422, 500, 0})
  void shouldLeaveAJobAloneWhoseRecoveryCannotBeStored(int status) {
    RefusingCluster cluster = cluster(CallKind.OPEN);
    cluster.refuse(CallKind.OPEN, () -> answer(status));
    JobReconciler reconciler = reconciler(cluster);
    run(cluster, reconciler, Duration.ofMinutes(20));
    assertThat(cluster.calls).extracting(Call::kind).containsOnly(CallKind.OPEN);
    assertThat(mostPerMinute(cluster, CallKind.OPEN)).isLessThan(20);
    assertThat(cluster.said)
        .as("at once, and again after five minutes")
        .hasSize(2)
        .allSatisfy(a -> assertThat(a.reason()).isEqualTo(Reason.API_REFUSED))
        .allSatisfy(a -> assertThat(a.note()).contains(TEXT));
    cluster.acceptAll();
    run(cluster, reconciler, Duration.ofMinutes(2));
    assertThat(status(cluster).phase()).isEqualTo(RecoveryPhase.RECOVERED);
  }

  @ParameterizedTest
  @ValueSource(ints = {403, 422, 500, 0})
  void shouldSayThatTheStatusOfARecoveryCannotBeStored(int status) {
    RefusingCluster cluster = cluster(CallKind.SAVE);
    PrometheusRegistry registry = new PrometheusRegistry();
    JobReconciler reconciler = reconciler(cluster, new Metrics(registry));
    cluster.refuse(CallKind.SAVE, () -> answer(status));
    run(cluster, reconciler, Duration.ofMinutes(20));

    assertThat(cluster.said)
        .as("at once, and again after five minutes")
        .hasSize(2)
        .allSatisfy(a -> assertThat(a.reason()).isEqualTo(Reason.API_REFUSED))
        .allSatisfy(a -> assertThat(a.note()).startsWith("write the status of Recovery demo-r1: "))
        .allSatisfy(a -> assertThat(a.note()).contains(TEXT));
    assertThat(failedWrites(registry).getLabels().get("status"))
        .isEqualTo(status == 0 ? "no answer" : Integer.toString(status));
    assertThat(failedWrites(registry).getValue())
        .isEqualTo((double) cluster.calls.stream().filter(c -> c.kind() == CallKind.SAVE).count());
    assertThat(cluster.job().suspended()).isFalse();
    cluster.acceptAll();
    run(cluster, reconciler, Duration.ofMinutes(2));
    assertThat(status(cluster).phase()).isEqualTo(RecoveryPhase.RECOVERED);
  }

  @Test
  void shouldSayNothingOfAStatusThatIsStoredAtTheSecondAttempt() {
    RefusingCluster cluster = cluster(CallKind.SAVE);
    JobReconciler reconciler = reconciler(cluster);
    cluster.refuse(CallKind.SAVE, () -> answer(500));
    run(cluster, reconciler, Duration.ofMinutes(2));
    cluster.acceptAll();
    run(cluster, reconciler, Duration.ofMinutes(2));
    assertThat(status(cluster).phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(cluster.said).extracting(a -> a.reason()).doesNotContain(Reason.API_REFUSED);
  }

  private static CounterSnapshot.CounterDataPointSnapshot failedWrites(
      PrometheusRegistry registry) {
    return registry.scrape().stream()
        .filter(m -> m.getMetadata().getName().equals("rekindle_recovery_writes_failed"))
        .flatMap(m -> ((CounterSnapshot) m).getDataPoints().stream())
        // Usual answers have a series at zero from the beginning.
        .filter(point -> point.getValue() > 0)
        .reduce((_, last) -> last)
        .orElseThrow();
  }

  @Test
  void shouldBeginARecoveryThatADeadLeaderHasOnlyCreated() {
    RefusingCluster cluster = cluster(CallKind.OPEN);
    RecoverySpec spec =
        new RecoverySpec(
            JobRef.pyTorchJob(cluster.job().key().name(), cluster.job().uid()), cluster.now, null);
    String namespace = cluster.job().key().namespace();
    RecoveryView created = cluster.open(new RecoveryView(namespace, "demo-r1", "", "", spec, null));
    run(cluster, reconciler(cluster), Duration.ofMinutes(1));
    RecoveryView only = cluster.recovery().orElseThrow();
    assertThat(only.name()).isEqualTo(created.name());
    assertThat(status(cluster).phase()).isEqualTo(RecoveryPhase.RECOVERED);
    assertThat(status(cluster).cause())
        .extracting(RecoveryStatus.Cause::message)
        .asString()
        .contains("XID-79");
  }
}
