package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.Transitions.status;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.QueuedJob;
import dev.rekindle.controller.model.WorkloadView;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A job that was given back to Kueue and that Kueue has not admitted yet, or has stopped again. It
 * waits for quota like any other job: the wait uses up no attempt and no time-out.
 */
final class Admission {
  /** With quota to be had Kueue takes a tenth of a second. */
  private static final Duration USUAL = Duration.ofSeconds(5);

  private Admission() {}

  /** What to do until it is admitted; empty once it is. */
  static Optional<Decision> awaited(RecoverySnapshot s, JobView job, Instant now) {
    boolean held = HoldReason.of(status(s)).filter(HoldReason.NOT_ADMITTED::equals).isPresent();
    if (!job.queued()) {
      return held
          ? Optional.of(
              Transitions.enter(s, RecoveryPhase.VERIFYING, "Kueue has admitted the job", now))
          : Optional.empty();
    }
    String why = why(job);
    Duration left = USUAL.minus(Transitions.inPhase(s, now));
    return Optional.of(
        !held && left.isPositive()
            ? new Decision.Wait(why, left)
            : Transitions.hold(s, HoldReason.NOT_ADMITTED, why, now));
  }

  /**
   * Whether Kueue has evicted the gang of this attempt and admitted the job again: it gives the
   * templates back their own annotations then, so that no pod carries the attempt any more. A gang
   * that trains is not given up for that.
   */
  static boolean startedAnew(RecoverySnapshot s, JobView job) {
    return QueuedJob.isOne(job)
        && !job.suspended()
        && !InPlace.chosen(s)
        && !job.attempt().equals(Transitions.attemptId(s));
  }

  private static String why(JobView job) {
    String said = QueuedJob.workload(job).map(WorkloadView::message).orElse("");
    return said.isEmpty()
        ? "Kueue has not admitted the job again"
        : "Kueue has not admitted the job again: " + said;
  }
}
