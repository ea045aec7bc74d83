package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.port.ClusterGateway.RefusedException;
import dev.rekindle.controller.runtime.ParallelExecutor;
import dev.rekindle.controller.telemetry.Metrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Effects of one decision, some of which follow others. */
class EffectsTest {
  private final RefusingCluster cluster = new RefusingCluster(job());
  private final JobKey key = cluster.job().key();
  private final Effects effects =
      new Effects(
          cluster,
          new Metrics(new PrometheusRegistry()),
          () -> cluster.now,
          ParallelExecutor.inOrder(),
          new InspectorSession(cluster));
  private final RecoveryView recovery =
      Given.recovery("demo-r1", T0, RecoverySnapshots.status(RecoveryPhase.DRAINING, null, 1));

  private void drain() {
    PodView pod = gang("").getFirst();
    var _ =
        effects.carryOut(
            key,
            recovery,
            new Decision.Act(
                List.of(new Effect.Suspend()),
                List.of(new Effect.DeletePod(pod.name(), pod.uid(), Duration.ofSeconds(1))),
                Duration.ofSeconds(1)));
  }

  /** Its peers would train on beside what the operator makes anew. */
  @Test
  void shouldDeleteNoPodOfAJobThatItMayNotSuspend() {
    cluster.refuse(CallKind.SUSPEND, () -> new RefusedException(403, "webhook guard"));
    drain();
    assertThat(cluster.calls).extracting(RefusingCluster.Call::kind).containsOnly(CallKind.SUSPEND);

    cluster.acceptAll();
    drain();
    assertThat(cluster.calls)
        .extracting(RefusingCluster.Call::kind)
        .containsExactly(CallKind.SUSPEND, CallKind.SUSPEND, CallKind.DELETE_POD);
    assertThat(cluster.violations).isEmpty();
  }
}
