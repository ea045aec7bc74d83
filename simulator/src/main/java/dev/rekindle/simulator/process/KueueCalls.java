package dev.rekindle.simulator.process;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.QueueView;
import dev.rekindle.controller.model.QueuedJob;
import dev.rekindle.controller.model.WorkloadView;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.controller.port.JobGuard;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.QueueObject;
import dev.rekindle.simulator.world.SimEvent.Kind;
import dev.rekindle.simulator.world.WorkloadObject;
import dev.rekindle.simulator.world.World;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Calls about Workloads and ClusterQueues of Kueue. */
final class KueueCalls {
  private final World world;
  private final ApiCalls api;
  private final InstantSource clock;
  private final WriteObserver observer;

  KueueCalls(World world, ApiCalls api, InstantSource clock, WriteObserver observer) {
    this.observer = observer;
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

  /** Deactivates the Workload that was read together with its job. */
  void stop(JobObject job, WorkloadView seen, String recovery) {
    write(
        job.key(),
        seen,
        false,
        recovery,
        now -> {
          // One recovery takes over what another one has stopped (seed 95001052).
          JobObject before = now.active() ? job : job.withSuspend(true, now.stoppedBy());
          observer.deactivated(before, recovery);
        });
    world.emit(Kind.JOB, job.key().toString(), "Workload deactivated by " + recovery);
  }

  /** Activates it again. */
  void start(JobKey job, WorkloadView seen) {
    write(job, seen, true, "", observer::activated);
  }

  /** Activates the Workload for any reason of its stop: what a broken controller would do. */
  void startWhatever(JobKey job) {
    api.change(() -> write(get(job), true, "", observer::activated));
  }

  void unmark(JobKey job) {
    api.change(
        () ->
            world
                .queueing()
                .workloads()
                .find(job.toString())
                .filter(workload -> workload.active() && !workload.stoppedBy().isEmpty())
                .ifPresent(workload -> start(job, workload.view())));
  }

  private WorkloadObject get(JobKey job) {
    return api.find(() -> world.queueing().workloads().get(job.toString()))
        .orElseThrow(() -> new StaleException("the Workload of the job is gone"));
  }

  private void write(
      JobKey job, WorkloadView seen, boolean active, String by, Consumer<WorkloadObject> first) {
    WorkloadObject workload = get(job);
    if (JobGuard.writesWorkload(seen, workload.view(), active, by)) {
      write(workload, active, by, first);
    }
  }

  private void write(
      WorkloadObject workload, boolean active, String by, Consumer<WorkloadObject> first) {
    var _ =
        api.attempt(
            () ->
                world
                    .queueing()
                    .workloads()
                    .update(
                        workload.meta().key(),
                        workload.meta().version(),
                        now -> {
                          first.accept(now);
                          return now.withActive(active, by);
                        }));
  }

  void hold(JobKey job, String recovery) {
    change(
        queue ->
            queue.held() || !queue.heldFor().isEmpty()
                ? queue
                : queue.heldFor(QueueView.holder(job, recovery), clock.instant()));
  }

  void release(JobKey job) {
    change(queue -> queue.view().heldFor(job) ? opened(queue) : queue);
  }

  /** Opens the queue for any reason of its stop: what a broken controller would do. */
  void releaseWhatever() {
    change(queue -> queue.held() ? opened(queue) : queue);
  }

  private QueueObject opened(QueueObject queue) {
    observer.openedQueue(queue);
    return queue.open();
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
