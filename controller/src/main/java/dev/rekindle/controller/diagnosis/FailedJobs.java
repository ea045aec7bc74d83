package dev.rekindle.controller.diagnosis;

import dev.rekindle.api.CauseReason;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.RecoveryView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Judges jobs that have failed, and pods that ended for good, which no kubelet restarts. */
final class FailedJobs {
  /**
   * How the training operator words an end that the user requested by a limit: not ours to undo.
   */
  private static final List<String> USER_LIMITS =
      List.of("backoff limit", "active longer than specified deadline");

  /** A job that failed longer ago is history: a controller that starts does not say it again. */
  private static final Duration NEWS = Duration.ofDays(1);

  /** Until a job that failed too long ago by this clock is judged again. */
  private static final Duration AGAIN = Duration.ofMinutes(1);

  /**
   * The watch of pods may be behind that of jobs. By then the operator's word is all the evidence:
   * pods of a failed job may be deleted already.
   */
  private static final Duration SEEN = Duration.ofSeconds(2);

  private FailedJobs() {}

  static Optional<Verdict> endedForGood(JobSnapshot s, Policy policy, Instant now) {
    JobView job = s.job();
    List<PodView> failed =
        s.pods().stream().filter(p -> p.phase() == PodView.Phase.FAILED).toList();
    if (job.finish() == Finish.FAILED) {
      if (userLimit(job)) {
        return Optional.of(
            new Verdict.NoAction("failed by a limit of its user: " + job.finishMessage()));
      }
      Instant at = job.finishedAt();
      if (at != null && Duration.between(at, now).compareTo(policy.revival()) > 0) {
        return Optional.of(tooLate(s, policy, at, now));
      }
      if (at != null && failed.isEmpty() && isJust(at, now)) {
        return Optional.of(new Verdict.Watch("the pod that failed is not seen yet", at.plus(SEEN)));
      }
      return Optional.of(
          Causes.recover(Causes.ofFailure(CauseReason.JOB_FAILED, job.finishMessage(), failed, s)));
    }
    if (failed.isEmpty()) {
      return Optional.empty();
    }
    if (!job.restartsInPlace()) {
      return Optional.of(Causes.recover(Causes.ofFailure(CauseReason.POD_FAILED, "", failed, s)));
    }
    // The operator re-creates the pod by itself; the gang may come back without us.
    return ContainerEnds.unlessNotLoaded(s, CauseReason.POD_FAILED, failed, policy, now);
  }

  /**
   * It failed while no controller led, or no recovery could be stored. An event says so while it is
   * news, unless a recovery was at the job since (seed 94210206).
   */
  private static Verdict tooLate(JobSnapshot s, Policy policy, Instant at, Instant now) {
    Duration ago = Duration.between(at, now);
    Instant over = at.plus(policy.revival());
    boolean lookedAt =
        s.recoveries().stream()
            .map(RecoveryView::status)
            .filter(Objects::nonNull)
            .anyMatch(
                status ->
                    switch (status.phase()) {
                      // It has left the job to somebody: why it stays so is yet to be said.
                      case CANCELLED -> false;
                      // Where it gave up in time, another would have followed.
                      case FAILED -> isBetween(status.phaseSince(), over, now);
                      case null, default -> isBetween(status.phaseSince(), at, now);
                    });
    if (ago.compareTo(policy.revival().plus(NEWS)) > 0) {
      return new Verdict.NoAction("failed too long ago");
    }
    return lookedAt
        // By a clock that is ahead; nothing else of the job changes when it is set right.
        ? new Verdict.Watch("failed too long ago", now.plus(AGAIN))
        : new Verdict.Refuse(
            Reason.REVIVAL_EXPIRED,
            "the job failed %d s ago; after %d s nothing is revived: %s"
                .formatted(ago.toSeconds(), policy.revival().toSeconds(), s.job().finishMessage()));
  }

  /** One of the future is of a clock that was ahead, and may be older than the failure. */
  private static boolean isBetween(@Nullable Instant since, Instant from, Instant now) {
    return since != null && !since.isBefore(from) && !since.isAfter(now);
  }

  /** A clock that is wrong is no reason to wait. */
  private static boolean isJust(Instant failed, Instant now) {
    return !now.isBefore(failed) && now.isBefore(failed.plus(SEEN));
  }

  static boolean userLimit(JobView job) {
    return USER_LIMITS.stream().anyMatch(job.finishMessage()::contains);
  }
}
