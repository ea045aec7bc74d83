package dev.rekindle.simulator.process;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.QueuedJob;
import dev.rekindle.controller.model.ResumeOrder;
import dev.rekindle.controller.model.WorkloadView;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.controller.port.JobGuard;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.SimEvent.Kind;
import dev.rekindle.simulator.world.World;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Calls about training jobs. */
final class JobCalls {
  private final World world;
  private final ApiCalls api;
  private final WriteObserver observer;
  private final KueueCalls kueue;

  JobCalls(World world, ApiCalls api, WriteObserver observer, KueueCalls kueue) {
    this.kueue = kueue;
    this.world = world;
    this.api = api;
    this.observer = observer;
  }

  boolean exists(JobKey job, String uid) {
    return api.call(
        () ->
            world.jobs().find(job.toString()).filter(j -> j.meta().uid().equals(uid)).isPresent());
  }

  /** The job, if it is still the one of that UID. */
  JobObject get(JobKey key, String uid) {
    JobObject job =
        api.find(() -> world.jobs().get(key.toString()))
            .orElseThrow(() -> new StaleException("job " + key + " is gone"));
    if (!job.meta().uid().equals(uid)) {
      throw new StaleException("job " + key + " is another one of the name");
    }
    return job;
  }

  void suspend(JobKey key, String uid, String recovery, String attempt) {
    api.change(
        () -> {
          JobObject job = get(key, uid);
          JobView view = kueue.view(job);
          if (JobGuard.suspends(view, recovery, attempt)) {
            Optional<WorkloadView> workload = QueuedJob.workload(view);
            if (workload.isEmpty()) {
              write(job, "suspend", recovery, j -> j.withSuspend(true, recovery));
            } else {
              kueue.stop(job, workload.get(), recovery);
            }
          }
        });
  }

  void suspendWhatever(JobKey key, String recovery) {
    api.change(
        () ->
            api.find(() -> world.jobs().get(key.toString()))
                .filter(job -> !job.suspend())
                .ifPresent(
                    job -> write(job, "suspend", recovery, j -> j.withSuspend(true, recovery))));
  }

  void revive(JobKey key, String uid, String recovery) {
    api.change(
        () -> {
          JobObject job = get(key, uid);
          if (JobGuard.revives(kueue.view(job), recovery)) {
            write(job, "revive", recovery, j -> j.with(j.status().revived()));
          }
        });
  }

  void resume(JobKey key, String uid, ResumeOrder order) {
    api.change(
        () -> {
          JobObject job = get(key, uid);
          JobView view = kueue.view(job);
          if (JobGuard.resumes(view, order)) {
            Optional<WorkloadView> workload = QueuedJob.workload(view);
            boolean alone = workload.isEmpty();
            write(
                job,
                "resume",
                order.recovery(),
                j ->
                    alone
                        ? j.withSuspend(false, "").with(template(j, order))
                        : j.with(template(j, order).withOwnEnvironment()));
            workload.ifPresent(w -> kueue.start(key, w));
          }
        });
  }

  private static JobObject.Template template(JobObject job, ResumeOrder order) {
    boolean injects = job.setup().readsResumePath() && order.resumeFrom() != null;
    Long step = order.resumeStep();
    return new JobObject.Template(
        order.attempt(),
        injects ? String.valueOf(order.resumeFrom()) : "",
        injects && step != null ? step : -1,
        order.excludedHostnames(),
        order.avoidedHostnames(),
        order.preferredTopology(),
        job.meta().uid(),
        order.plannedHostnames(),
        order.plannedForMaster(),
        true);
  }

  private void write(JobObject job, String verb, String recovery, UnaryOperator<JobObject> change) {
    update(
        job,
        j -> {
          JobObject next = change.apply(j.withOwnAnnotations());
          observer.wrote(j, next, verb, recovery);
          world.emit(Kind.JOB, j.key().toString(), verb + " by " + recovery);
          return next;
        });
  }

  /** As long as it has not changed since it was read. */
  private void update(JobObject job, UnaryOperator<JobObject> change) {
    var _ = api.attempt(() -> world.jobs().update(job.meta().key(), job.meta().version(), change));
  }

  void planNodes(JobKey key, String uid, List<String> hostnames) {
    api.change(
        () -> {
          JobObject job = get(key, uid);
          if (JobGuard.plansNodes(kueue.view(job), hostnames)) {
            update(
                job,
                j -> {
                  world.emit(Kind.JOB, j.key().toString(), "nodes are planned");
                  return j.with(j.template().planning(hostnames));
                });
          }
        });
  }

  void clearResume(JobKey key, String uid) {
    api.change(
        () -> {
          JobObject job = get(key, uid);
          if (job.template().resumeStep() >= 0) {
            update(job, j -> j.with(j.template().resumingFrom("", -1)));
          }
        });
  }
}
