package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RecoveryView;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A policy that is deleted while what a recovery is decided from is read. */
class PolicyGoneMeanwhileTest {
  private static final String ME = "demo-r1";
  private static final Policy NONE_FENCED = Policy.DEFAULT.with(b -> b.maxFencedNodes(0));

  private final RefusingCluster cluster = new RefusingCluster(job().suspended(ME, true));
  private final JobReconciler reconciler = JobReconcilerFixture.reconciler(cluster);

  /** The breaker holds it, its job is suspended, and the watch shows no pod of it any more. */
  private void hold() {
    cluster.state.policyFeed().present("default", "2", NONE_FENCED);
    cluster.fault(fault("node-1", "XID-79", FenceGuidance.ALWAYS));
    Cause cause = new Cause("XID-79", "", List.of(), List.of("node-1"), List.of(), List.of(), 42L);
    RecoveryStatus fencing =
        RecoveryStatusBuilder.enter(
            RecoveryStatusBuilder.begin(cause, List.of(), cluster.now),
            RecoveryPhase.FENCING,
            "",
            cluster.now);
    RecoverySpec spec =
        new RecoverySpec(
            JobRef.pyTorchJob(cluster.job().key().name(), cluster.job().uid()), cluster.now, null);
    RecoveryView draft = new RecoveryView(cluster.job().key().namespace(), ME, "", "", spec, null);
    var _ =
        cluster.save(
            cluster
                .open(draft)
                .with(
                    RecoveryStatusBuilder.hold(
                        fencing, HoldReason.BREAKER_OPEN, "BreakerOpen: full", cluster.now)));
    for (PodView pod : gang("")) {
      cluster.state.podFeed().gone(pod.job().namespace() + "/" + pod.name(), "1000");
    }
  }

  @Test
  void shouldFenceNothingUnderTheLimitOfNoPolicy() {
    hold();
    cluster.meanwhile = () -> cluster.state.policyFeed().gone("default", "1001");

    var _ = reconciler.reconcile(cluster.job().key());

    assertThat(cluster.state.policy("default")).isEmpty();
    assertThat(cluster.calls).extracting(RefusingCluster.Call::kind).contains(CallKind.LIST_PODS);
    assertThat(cluster.state.node("node-1").orElseThrow().unschedulable()).isFalse();
  }
}
