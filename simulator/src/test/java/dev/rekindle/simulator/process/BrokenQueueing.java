package dev.rekindle.simulator.process;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.QueueView;
import dev.rekindle.controller.model.QueuedJob;
import java.util.Optional;

/** Controllers that are broken on purpose: what they do to jobs that Kueue admits. */
public final class BrokenQueueing {
  private BrokenQueueing() {}

  /** 32: suspends a job itself, as it does with those without a queue. */
  public static Reconcilers.Factory suspendingByItself() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public void suspend(JobKey job, String uid, String recovery, String attempt) {
                ((SimGateway) gateway).suspendWhatever(job, recovery);
              }
            });
  }

  /** Stops a job and leaves its queue open. */
  public static Reconcilers.Factory holdingNoQueue() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public void holdQueue(String queue, JobKey job, String recovery) {}
            });
  }

  /** 32: never lets a queue go. */
  public static Reconcilers.Factory keepingQueues() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public void releaseQueue(String queue, JobKey job) {}
            });
  }

  /** 64: lets no queue go whose job is gone. */
  public static Reconcilers.Factory forgettingJobsThatAreGone() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public void releaseQueue(String queue, JobKey job) {
                if (state.job(job).isPresent()) {
                  super.releaseQueue(queue, job);
                }
              }
            });
  }

  /** 60: activates the Workload of each job that stands still. */
  public static Reconcilers.Factory activatingWhatever() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public Optional<JobView> job(JobKey key) {
                Optional<JobView> job = super.job(key);
                if (job.flatMap(QueuedJob::workload).filter(w -> !w.active()).isPresent()) {
                  ((SimGateway) gateway).startWorkloadWhatever(key);
                }
                return job;
              }
            });
  }

  /** 60: opens each queue that is stopped before it reconciles a job of it. */
  public static Reconcilers.Factory openingWhatever() {
    return Distortion.controller(
        (state, gateway) ->
            new Distortion(state, gateway) {
              @Override
              public Optional<JobView> job(JobKey key) {
                if (state.queues().stream().anyMatch(QueueView::stopped)) {
                  ((SimGateway) gateway).releaseQueueWhatever();
                }
                return super.job(key);
              }
            });
  }
}
