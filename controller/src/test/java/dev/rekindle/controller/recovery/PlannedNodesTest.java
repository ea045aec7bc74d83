package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.port.ClusterGateway.RefusedException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlannedNodesTest {
  private final RefusingCluster cluster = new RefusingCluster(job());
  private final JobReconciler reconciler = JobReconcilerFixture.reconciler(cluster);

  private void planned() {
    cluster.planNodes(cluster.job().key(), cluster.job().uid(), List.of("node-3"));
    assertThat(cluster.job().plannedNodes()).isNotEmpty();
  }

  @Test
  void shouldTakeThePreferenceBackWhenNoRecoveryIsOpen() {
    planned();

    var _ = reconciler.reconcile(cluster.job().key());

    assertThat(cluster.job().plannedNodes()).isEmpty();
  }

  @Test
  void shouldRetryWhatIsRefused() {
    planned();
    cluster.refuse(CallKind.PLAN_NODES, () -> new RefusedException(403, "no"));

    assertThat(reconciler.reconcile(cluster.job().key()))
        .hasValueSatisfying(soon -> assertThat(soon).isLessThan(Duration.ofMinutes(1)));

    cluster.acceptAll();
    cluster.now = cluster.now.plusSeconds(60);
    var _ = reconciler.reconcile(cluster.job().key());
    assertThat(cluster.job().plannedNodes()).isEmpty();
  }
}
