package dev.rekindle.controller.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.Given;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How long a job is left alone after a reconcile. */
class RestBetweenReconcilesTest {
  private static Duration restOf(int workers) {
    RefusingCluster cluster = new RefusingCluster(Given.job().workers(workers));
    return JobReconcilerFixture.reconciler(cluster).minInterval(cluster.job().key());
  }

  @Test
  void shouldRestLongerForAGangOfMorePods() {
    assertThat(restOf(2)).isEqualTo(Duration.ZERO);
    assertThat(restOf(8_191)).isEqualTo(Duration.ofMillis(81));
  }

  /** A ClusterQueue may be held for the job meanwhile, and others wait for it. */
  @Test
  void shouldNotLeaveAJobAloneForHoursWhateverSizeItsOwnerGivesIt() {
    assertThat(restOf(Integer.MAX_VALUE)).isLessThanOrEqualTo(Duration.ofSeconds(1));
  }
}
