package dev.rekindle.controller.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.QueueView;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a recovery has left of a ClusterQueue whose job has no recovery any more. */
class QueueCleanupTest extends JobReconcilerFixture {
  private final RefusingCluster cluster = cluster(CallKind.OPEN);
  private final JobReconciler reconciler = reconciler(cluster);
  private final JobKey job = cluster.job().key();

  private void held(JobKey holder) {
    cluster
        .state
        .queueFeed()
        .present(
            "cq", "7", new QueueView("cq", true, QueueView.holder(holder, "demo-r1"), cluster.now));
  }

  private long released() {
    return cluster.calls.stream().filter(c -> c.kind() == CallKind.RELEASE_QUEUE).count();
  }

  /** All jobs of the queue wait for it. */
  @Test
  void shouldLetAQueueGoWhoseJobIsGone() {
    cluster.deleteJob();
    held(job);

    var _ = reconciler.reconcile(job);

    assertThat(released()).isEqualTo(1);
  }

  /** Nothing changes any more that would make it look again. */
  @ParameterizedTest
  @ValueSource(ints = {403, 409, 429, 500, 0})
  void shouldRetryByItselfWhereTheReleaseIsRefusedAndTheJobIsGone(int status) {
    cluster.deleteJob();
    held(job);
    cluster.refuse(CallKind.RELEASE_QUEUE, () -> answer(status));
    Duration again = reconciler.reconcile(job).orElseThrow();
    assertThat(again).isLessThanOrEqualTo(EffectFailure.LONGEST_WAIT);
    cluster.acceptAll();
    cluster.now = cluster.now.plus(again);

    var _ = reconciler.reconcile(job);

    assertThat(released()).isEqualTo(2);
  }

  @Test
  void shouldNotAskAllTheTimeWhereTheReleaseIsRefusedPermanently() {
    cluster.deleteJob();
    held(job);
    cluster.refuse(CallKind.RELEASE_QUEUE, () -> answer(403));

    run(cluster, reconciler, Duration.ofMinutes(5));

    assertThat(mostPerMinute(cluster, CallKind.RELEASE_QUEUE)).isBetween(2L, 20L);
  }

  @Test
  void shouldLeaveTheQueueToTheJobThatHoldsIt() {
    cluster.deleteJob();
    held(new JobKey(job.namespace(), job.name() + "-2"));

    assertThat(reconciler.reconcile(job)).isEmpty();

    assertThat(released()).isZero();
  }

  @Test
  void shouldForgetAllOfAJobOnceItsQueueIsFree() {
    cluster.deleteJob();
    held(job);
    var _ = reconciler.reconcile(job);
    cluster.state.queueFeed().present("cq", "8", new QueueView("cq", false, "", cluster.now));

    assertThat(reconciler.reconcile(job)).isEmpty();
    assertThat(released()).isEqualTo(1);
  }
}
