package dev.rekindle.controller.recovery;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.QueueView;
import dev.rekindle.controller.model.QueuedJob;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterState;
import java.util.stream.Stream;

/**
 * Removes what recoveries left in Kueue from a job that has no open recovery: the hold of a
 * ClusterQueue, and the annotation on a Workload that is active again, regardless of how the
 * recovery ended and which process led.
 */
final class QueueCleanup {
  private final ClusterState state;
  private final ClusterGateway gateway;
  private final Effects effects;

  QueueCleanup(ClusterState state, ClusterGateway gateway, Effects effects) {
    this.state = state;
    this.gateway = gateway;
    this.effects = effects;
  }

  /** Whether a queue is held for it. */
  boolean isHeldFor(JobKey key) {
    return heldFor(key).findAny().isPresent();
  }

  void takeBack(JobKey key) {
    heldFor(key).map(QueueView::name).forEach(queue -> release(key, queue));
    state.job(key).filter(QueueCleanup::isMarked).ifPresent(job -> unmark(key, job));
  }

  private Stream<QueueView> heldFor(JobKey key) {
    return state.queues().stream().filter(queue -> queue.heldFor(key));
  }

  private static boolean isMarked(JobView job) {
    return QueuedJob.workload(job)
        .filter(workload -> workload.active() && !workload.stoppedBy().isEmpty())
        .isPresent();
  }

  private void release(JobKey key, String queue) {
    var _ =
        effects.ask(
            key,
            Effects.NO_RECOVERY,
            CallKind.RELEASE_QUEUE,
            () -> {
              gateway.releaseQueue(queue, key);
              return queue;
            });
  }

  private void unmark(JobKey key, JobView job) {
    var _ =
        effects.ask(
            key,
            Effects.NO_RECOVERY,
            CallKind.UNMARK_WORKLOAD,
            () -> {
              gateway.unmarkWorkload(key, job.uid());
              return job;
            });
  }
}
