package dev.rekindle.controller.port;

import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.ResumeOrder;
import dev.rekindle.controller.model.WorkloadView;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What each write to a job checks on the job as the API server has it at that moment: whether there
 * is anything left to write, and whether the job is still what the caller took it for.
 */
public final class JobGuard {
  /** {@code <job>-r<recovery>-<attempt>}. */
  private static final Pattern ATTEMPT = Pattern.compile(".*-r([0-9]{1,9})-([0-9]{1,9})");

  private JobGuard() {}

  /**
   * Whether the suspension is still to be written. A suspension by another recovery, one that is no
   * longer there, is taken over, or the job would stay suspended for ever.
   *
   * @param attempt id of the attempt that it is suspended for
   * @throws StaleException when its user suspended it, it has succeeded, opted out, or carries this
   *     attempt or a later one: the caller has missed its resumption
   */
  public static boolean suspends(JobView job, String recovery, String attempt) {
    if (!job.suspended() && notBefore(job.attempt(), attempt)) {
      throw new StaleException("job " + job.key() + " was resumed as attempt " + job.attempt());
    }
    if (job.suspended() && job.suspendedBy().equals(recovery)) {
      return false;
    }
    if (job.suspended() && job.suspendedBy().isEmpty()) {
      throw new StaleException("job " + job.key() + " was suspended by its user");
    }
    if (!job.suspended() && !job.handsOff().isEmpty()) {
      throw new StaleException("job " + job.key() + ": " + job.handsOff());
    }
    if (job.queued()) {
      throw new StaleException("job " + job.key() + " was stopped by Kueue");
    }
    requireNotSucceeded(job);
    return true;
  }

  /**
   * Whether the nodes that new pods are taken to are still to be written. What was written is taken
   * back whatever its owner says by now.
   *
   * @throws StaleException when it is suspended, has ended or opted out, and nodes are to be added
   */
  public static boolean plansNodes(JobView job, List<String> hostnames) {
    if (job.plannedNodes().equals(hostnames)) {
      return false;
    }
    if (!hostnames.isEmpty()) {
      if (job.suspended() || job.finish() != Finish.NOT_FINISHED || !job.handsOff().isEmpty()) {
        throw new StaleException("job " + job.key() + " is not there to be moved any more");
      }
    }
    return true;
  }

  /**
   * Whether the Failed condition is still to be taken off.
   *
   * @throws StaleException when the job is not suspended by the recovery, or has succeeded
   */
  public static boolean revives(JobView job, String recovery) {
    requireSuspendedBy(job, recovery);
    requireNotSucceeded(job);
    return job.finish() == Finish.FAILED;
  }

  /**
   * Whether the job is still to be resumed.
   *
   * @throws StaleException when it is not suspended by the recovery and does not carry its attempt
   */
  public static boolean resumes(JobView job, ResumeOrder order) {
    if (!job.suspended() && job.attempt().equals(order.attempt())) {
      return false;
    }
    requireSuspendedBy(job, order.recovery());
    return true;
  }

  /**
   * Whether a Workload of Kueue is still to be written.
   *
   * @param seen as it was read together with its job
   * @param now as the API server has it at the moment of the write
   * @param by the recovery in whose name it is not active; empty for none
   * @throws StaleException when somebody has stopped it meanwhile, or has let it go on
   */
  public static boolean writesWorkload(
      WorkloadView seen, WorkloadView now, boolean active, String by) {
    if (!now.jobUid().equals(seen.jobUid())) {
      throw new StaleException("the Workload of job " + seen.job() + " is of another job");
    }
    if (now.active() == active && now.stoppedBy().equals(by)) {
      return false;
    }
    if (now.active() != seen.active() || !now.stoppedBy().equals(seen.stoppedBy())) {
      throw new StaleException(
          "another client has written spec.active of Workload %s".formatted(now.name()));
    }
    return true;
  }

  /** Whether one attempt id of a job is the other, or comes after it. */
  private static boolean notBefore(String carried, String asked) {
    Matcher a = ATTEMPT.matcher(carried);
    Matcher b = ATTEMPT.matcher(asked);
    if (!a.matches() || !b.matches()) {
      return false;
    }
    int byRecovery = Long.compare(number(a, 1), number(b, 1));
    return byRecovery > 0 || (byRecovery == 0 && number(a, 2) >= number(b, 2));
  }

  private static long number(Matcher matcher, int group) {
    return Long.parseLong(matcher.group(group));
  }

  private static void requireSuspendedBy(JobView job, String recovery) {
    if (!job.suspended() || !job.suspendedBy().equals(recovery)) {
      throw new StaleException("job " + job.key() + " is not suspended by recovery " + recovery);
    }
  }

  private static void requireNotSucceeded(JobView job) {
    if (job.finish() == Finish.SUCCEEDED) {
      throw new StaleException("job " + job.key() + " has succeeded");
    }
  }
}
