package dev.rekindle.controller.model;

import dev.rekindle.controller.model.GangScheduling.Kueue;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.JobView.ResumeInjection;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/**
 * A job that Kueue admits, read together with its Workload. Kueue owns {@code runPolicy.suspend}:
 * it takes back at once what others write there. So what stops such a job is {@code
 * Workload.spec.active}, and what says by whom stands on the Workload.
 *
 * <p>Its containers are not edited: while the job runs Kueue would start it again for that, and
 * while it is stopped Kueue would keep what we wrote and put it back at any later stop of its own,
 * with the checkpoint of then. So a script is given a checkpoint only where its owner has put the
 * variable into the templates.
 */
public final class QueuedJob {
  private static final Comparator<WorkloadView> LIVE_FIRST =
      Comparator.comparing(WorkloadView::finished).thenComparing(WorkloadView::name);

  private QueuedJob() {}

  /** Whether Kueue has a say in when the job runs. */
  public static boolean isOne(JobView job) {
    return job.gang() instanceof Kueue;
  }

  /** Whether Kueue assigns nodes to its pods: then no node is chosen by us. */
  public static boolean isPlacedByKueue(JobView job) {
    return workload(job).filter(WorkloadView::topologyAware).isPresent();
  }

  /** Whether Kueue is done with the job for good: nothing brings back what has failed then. */
  public static boolean isClosed(JobView job) {
    return workload(job)
        .filter(workload -> workload.finished() || job.finish() == Finish.FAILED)
        .isPresent();
  }

  /** Its Workload, where one is seen. */
  public static Optional<WorkloadView> workload(JobView job) {
    return job.gang() instanceof Kueue(_, WorkloadView workload)
        ? Optional.ofNullable(workload)
        : Optional.empty();
  }

  /**
   * The job as it is by its Workload; a job that Kueue has nothing to do with is what it was. Pure.
   *
   * @param job as read from the PyTorchJob alone
   * @param workloads of its UID
   */
  public static JobView with(JobView job, Collection<WorkloadView> workloads) {
    if (workloads.isEmpty() && !isOne(job)) {
      return job;
    }
    Optional<WorkloadView> found = workloads.stream().min(LIVE_FIRST);
    if (!(job.gang() instanceof Kueue(String queue, _))) {
      // Kueue can be set to manage jobs that name no queue.
      return found.map(workload -> of(job, "", workload)).orElse(job);
    }
    return found
        .map(workload -> of(job, queue, workload))
        .orElseGet(
            () ->
                refused(
                    job,
                    "Kueue decides over the suspension of the job (queue %s), and no Workload of it is seen."
                        .formatted(queue)));
  }

  private static JobView of(JobView job, String queue, WorkloadView workload) {
    boolean stopped = !workload.active();
    JobView seen =
        job.with(
            b ->
                b.gang(new Kueue(queue, workload))
                    .suspended(stopped)
                    .suspendedBy(workload.stoppedBy())
                    .suspensionSeen(
                        stopped
                            && job.suspended()
                            && job.suspensionSeen()
                            && !workload.quotaReserved())
                    .queued(
                        !stopped
                            && !workload.finished()
                            && (job.suspended() || !workload.admitted()))
                    .resumeByEnv(
                        job.resumeByEnv() && job.injection() == ResumeInjection.BY_ANNOTATION));
    return workload.finished() || job.finish() == Finish.FAILED
        ? refused(
            seen,
            "Kueue has closed Workload %s of the job, which can only be submitted again."
                .formatted(workload.name()))
        : seen;
  }

  private static JobView refused(JobView job, String why) {
    return job.notOurs().isEmpty() ? job.withNotOurs(why) : job;
  }
}
