package dev.rekindle.simulator.process;

import dev.rekindle.controller.model.JobKey;

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
}
