package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.RecoveryView;
import org.junit.jupiter.api.Test;

/** The CRD in the cluster is of an earlier chart, and the API server drops what it lacks. */
class EarlierSchemaTest {
  private final RefusingCluster cluster = new RefusingCluster(job());
  private final JobReconciler reconciler = JobReconcilerFixture.reconciler(cluster);

  /** The same decision would follow at once, and that without end. */
  @Test
  void shouldWaitWhereWhatItHasWrittenIsNotKept() {
    cluster.fault(fault("node-1", "XID-79", FenceGuidance.ALWAYS));
    cluster.kept =
        recovery -> cluster.recovery().filter(was -> was.status() != null).orElse(recovery);

    assertThat(reconciler.reconcile(cluster.job().key())).contains(Transitions.LATER);

    assertThat(cluster.recovery().map(RecoveryView::status).map(RecoveryStatus::phase))
        .contains(RecoveryPhase.DETECTED);
    assertThat(cluster.calls)
        .extracting(RefusingCluster.Call::kind)
        .filteredOn(CallKind.SAVE::equals)
        .as("its first status, and one that is not kept")
        .hasSize(2);
  }
}
