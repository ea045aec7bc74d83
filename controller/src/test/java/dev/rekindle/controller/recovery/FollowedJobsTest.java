package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.Scorecard.Entry;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.JobView.OptIn;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a scorecard says of a job that is only observed. */
class FollowedJobsTest {
  private final RefusingCluster cluster =
      new RefusingCluster(job().optIn(new OptIn.Yes(Mode.OBSERVE)));
  private final JobReconciler reconciler = JobReconcilerFixture.reconciler(cluster);

  private Entry look() {
    cluster.now = cluster.now.plusSeconds(1);
    var _ = reconciler.reconcile(cluster.job().key());
    List<Entry> recent = cluster.state.scorecard("default").recent();
    assertThat(recent).hasSize(1);
    return recent.getFirst();
  }

  private Entry lookAtAFaultyNode() {
    cluster.fault(fault("node-1", "XID-79", FenceGuidance.ALWAYS));
    return look();
  }

  @Test
  void shouldNotCallAJobDeletedThatOnlyItsOwnViewLacks() {
    assertThat(lookAtAFaultyNode().open()).isTrue();

    cluster.loseSightOfJob();

    assertThat(look().open()).isTrue();
  }

  @Test
  void shouldCallAJobDeletedOnceTheApiServerHasItNoMore() {
    assertThat(lookAtAFaultyNode().open()).isTrue();

    cluster.deleteJob();

    assertThat(look().then()).isEqualTo("the job was deleted");
  }
}
