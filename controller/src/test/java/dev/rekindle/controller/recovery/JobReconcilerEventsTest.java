package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.model.RestartMode;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What is said of a job that is left alone. */
class JobReconcilerEventsTest extends JobReconcilerFixture {

  @Test
  void shouldSayOnceThatTheStepsOfAJobAreNotSeen() {
    var cluster = new RefusingCluster(job());
    for (var pod : cluster.state.pods(cluster.job().key())) {
      var report = Given.rank(pod, null, null, cluster.now).withStepless(true);
      cluster
          .state
          .rankFeed()
          .present("%s/%s".formatted(pod.job().namespace(), pod.name()), "1000000", report);
    }
    run(cluster, reconciler(cluster), Duration.ofMinutes(1));
    assertThat(cluster.said)
        .extracting(ClusterEvent::reason)
        .containsExactly(Reason.STEPS_NOT_SEEN);
  }

  @Test
  void shouldSayAgainThatTheBudgetIsSpentOnceItHasRestartedTheJobInBetween() {
    RefusingCluster cluster = new RefusingCluster(job().restartMode(RestartMode.REBUILD));
    JobReconciler reconciler = reconciler(cluster);
    allow(cluster, 0);
    cluster.fault(fault("node-1", "XID-79", FenceGuidance.ALWAYS));
    run(cluster, reconciler, Duration.ofSeconds(10));
    assertThat(exhausted(cluster)).isEqualTo(1);
    allow(cluster, 1);
    run(cluster, reconciler, Duration.ofMinutes(5));
    cluster.fault(fault("node-2", "XID-79", FenceGuidance.ALWAYS));
    run(cluster, reconciler, Duration.ofSeconds(10));
    assertThat(exhausted(cluster)).isEqualTo(2);
  }

  /** Seed 94769204: it stood again within the five minutes in which nothing is said twice. */
  @Test
  void shouldSayAgainThatTheBudgetIsSpentOnceTheGangHasComeBackByItself() {
    RefusingCluster cluster = new RefusingCluster(job());
    JobReconciler reconciler = reconciler(cluster);
    allow(cluster, 0);
    cluster.fault(fault("node-1", "XID-79", FenceGuidance.ALWAYS));
    run(cluster, reconciler, Duration.ofSeconds(10));
    cluster.clear(fault("node-1", "XID-79", FenceGuidance.ALWAYS));
    cluster.comeBack(60);
    run(cluster, reconciler, Duration.ofSeconds(10));
    assertThat(exhausted(cluster)).isEqualTo(1);
    cluster.fault(fault("node-2", "XID-79", FenceGuidance.ALWAYS));
    run(cluster, reconciler, Duration.ofSeconds(10));
    assertThat(exhausted(cluster)).isEqualTo(2);
  }

  @Test
  void shouldNotSayThatNothingIsTheMatterWhileReportsDecide() {
    RefusingCluster cluster = new RefusingCluster(job());
    RecoverySpec spec =
        new RecoverySpec(
            JobRef.pyTorchJob(cluster.job().key().name(), cluster.job().uid()), cluster.now, null);
    String namespace = cluster.job().key().namespace();
    var _ = cluster.open(new RecoveryView(namespace, "demo-r1", "", "", spec, null));
    var _ = reconciler(cluster).reconcile(cluster.job().key());
    assertThat(status(cluster).phase()).isEqualTo(RecoveryPhase.CANCELLED);
    assertThat(status(cluster).cause())
        .extracting(RecoveryStatus.Cause::reason, RecoveryStatus.Cause::message)
        .containsExactly("Watched", "no recovery is needed so far: trains");
  }

  private static void allow(RefusingCluster cluster, int restarts) {
    cluster
        .state
        .policyFeed()
        .present(
            "default", Integer.toString(100 + restarts), Policy.DEFAULT.withMaxRestarts(restarts));
  }

  private static long exhausted(RefusingCluster cluster) {
    return cluster.said.stream().filter(a -> a.reason() == Reason.BUDGET_EXHAUSTED).count();
  }
}
