package dev.rekindle.simulator.process;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.QueueView;
import dev.rekindle.controller.model.QueuedJob;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.QueueObject;
import dev.rekindle.simulator.world.SimEvent.Kind;
import dev.rekindle.simulator.world.WorkloadObject;
import dev.rekindle.simulator.world.World;
import java.time.InstantSource;
import java.util.List;
import java.util.function.UnaryOperator;

/** Calls about Workloads and ClusterQueues of Kueue. */
final class KueueCalls {
  private final World world;
  private final ApiCalls api;
  private final InstantSource clock;

  KueueCalls(World world, ApiCalls api, InstantSource clock) {
    this.world = world;
    this.api = api;
    this.clock = clock;
  }

  /** The job as it is by its Workload. */
  JobView view(JobObject job) {
    return job.queue().isEmpty()
        ? job.view()
        : QueuedJob.with(
            job.view(),
            world.queueing().workloads().find(job.key().toString()).stream()
                .map(WorkloadObject::view)
                .filter(workload -> workload.jobUid().equals(job.meta().uid()))
                .toList());
  }

  void stop(JobKey job, String recovery) {
    write(job, workload -> workload.withActive(false, recovery));
    world.emit(Kind.JOB, job.toString(), "Workload deactivated by " + recovery);
  }

  void start(JobKey job) {
    write(job, workload -> workload.withActive(true, ""));
  }

  void unmark(JobKey job) {
    api.change(
        () ->
            world
                .queueing()
                .workloads()
                .find(job.toString())
                .filter(workload -> workload.active() && !workload.stoppedBy().isEmpty())
                .ifPresent(_ -> start(job)));
  }

  private void write(JobKey job, UnaryOperator<WorkloadObject> change) {
    WorkloadObject workload =
        api.find(() -> world.queueing().workloads().get(job.toString()))
            .orElseThrow(() -> new StaleException("the Workload of the job is gone"));
    var _ =
        api.attempt(
            () ->
                world
                    .queueing()
                    .workloads()
                    .update(workload.meta().key(), workload.meta().version(), change));
  }

  void hold(JobKey job, String recovery) {
    change(
        queue ->
            queue.held() || !queue.heldFor().isEmpty()
                ? queue
                : queue.heldFor(QueueView.holder(job, recovery), clock.instant()));
  }

  void release(JobKey job) {
    change(queue -> queue.view().heldFor(job) ? queue.open() : queue);
  }

  private void change(UnaryOperator<QueueObject> change) {
    api.change(
        () -> {
          List<QueueObject> there = api.call(() -> world.queueing().queues().list());
          for (QueueObject queue : there) {
            var _ =
                api.attempt(
                    () ->
                        world
                            .queueing()
                            .queues()
                            .update(queue.meta().key(), queue.meta().version(), change));
          }
        });
  }
}
