package dev.rekindle.controller.diagnosis;

import dev.rekindle.api.CauseReason;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.QueuedJob;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.RecoveryView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Does a job need a recovery? Signs are checked from the surest to the weakest:
 *
 * <ol>
 *   <li>an exit code by which its launcher asks never to be restarted;
 *   <li>a hardware fault that fences, on a node that carries a pod of the job, unless it is of a
 *       GPU that is known to be none of the job's, or repaired by a reboot since which the gang has
 *       made steps;
 *   <li>a pod that ended for good: the kubelet will not bring it back, and its peers cannot
 *       continue without it;
 *   <li>a node that is gone, or silent while the steps of the whole gang stand still;
 *   <li>a rank whose script requests a restart of the gang;
 *   <li>containers that ended and that the kubelet restarts: left to it, unless steps do not come
 *       back in time, or the script could not load a checkpoint;
 *   <li>a gang that we resumed and that has found no place for too long: where it may go is judged
 *       again;
 *   <li>a gang that a recovery has resumed, or that kubelets have restarted, and whose loss is NaN
 *       ever since;
 *   <li>all pods run and steps stand still: a stall, for which no node is fenced.
 * </ol>
 *
 * Guarantees: a job that did not opt in, that its user suspended, or that has an open recovery is
 * left alone; no fault on a node is inferred from a stall or an exit code; a job never gets more
 * restarts than its budget, and no third one within its window for stalls that cannot be explained.
 */
public final class JobVerdicts {
  /** No watch is believed to lag for longer. */
  private static final Duration LAGS = Duration.ofSeconds(60);

  private JobVerdicts() {}

  /** Decides. Pure: the same snapshot, policy and time give the same verdict. */
  public static Verdict decide(JobSnapshot s, Policy policy, Instant now) {
    if (s.job().suspended() && !s.job().suspendedBy().isEmpty()) {
      // What Rekindle has suspended is resumed, even where its owner has opted out since.
      return decideOptedIn(s, policy, policy.mode(), now);
    }
    return switch (s.job().optIn()) {
      case OptIn.No _ -> new Verdict.NoAction("did not opt in");
      case OptIn.Unusable(String reason) -> new Verdict.Refuse(Reason.INVALID_ANNOTATION, reason);
      case OptIn.UnknownPolicy(String reason) -> new Verdict.Refuse(Reason.UNKNOWN_POLICY, reason);
      case OptIn.Yes(JobView.Mode mode) ->
          decideOptedIn(s, policy, lower(mode, policy.mode()), now);
    };
  }

  private static Verdict decideOptedIn(
      JobSnapshot s, Policy policy, JobView.Mode mode, Instant now) {
    JobView job = s.job();
    if (job.finish() == Finish.SUCCEEDED) {
      return new Verdict.NoAction("succeeded");
    }
    if (s.recoveries().stream().anyMatch(RecoveryView::open)) {
      return new Verdict.NoAction("a recovery is open");
    }
    if (job.suspended() && job.suspendedBy().isEmpty()) {
      return new Verdict.NoAction("suspended by its user");
    }
    if (job.queued()) {
      return new Verdict.NoAction("Kueue has not admitted it");
    }
    Verdict raw = job.suspended() ? orphaned(s, now) : trouble(s, policy, now);
    if (raw instanceof Verdict.Refuse(Reason reason, _) && reason == Reason.REVIVAL_EXPIRED) {
      if (mode == JobView.Mode.OBSERVE) {
        return new Verdict.NoAction("would not have been revived in time either");
      }
      if (!job.notOurs().isEmpty()) {
        // What kept it from being revived in time; it may have opted in since.
        return new Verdict.Refuse(Reason.MANAGED_EXTERNALLY, job.notOurs());
      }
    }
    if (raw instanceof Verdict.SelfRecovered
        && (mode == JobView.Mode.OBSERVE || !job.notOurs().isEmpty())) {
      return new Verdict.NoAction("came back by itself");
    }
    if (!(raw instanceof Verdict.Recover(Cause cause, _))) {
      return raw;
    }
    // What we have suspended we bring back, whatever else manages it by now, if anything can.
    if (!job.notOurs().isEmpty() && (!job.suspended() || QueuedJob.isClosed(job))) {
      return new Verdict.Refuse(Reason.MANAGED_EXTERNALLY, job.notOurs());
    }
    // An orphan has used up its restart already; refusing it would leave it suspended for ever.
    Optional<Verdict> spent = job.suspended() ? Optional.empty() : spent(s, cause, policy, now);
    if (spent.isPresent()) {
      return spent.get();
    }
    Optional<String> unexplained =
        cause.reason().equals(Cause.STALLED)
            ? StallHistory.unexplained(s, policy, now)
            : Optional.empty();
    if (unexplained.isPresent()) {
      return new Verdict.Refuse(
          Reason.STALLS_UNEXPLAINED, cause.message() + ", after " + unexplained.get());
    }
    if (mode == JobView.Mode.OBSERVE && !job.suspended()) {
      return new Verdict.Refuse(Reason.WOULD_RECOVER, cause.message());
    }
    return new Verdict.Recover(RestartRequests.rollBack(cause, s, now), mode);
  }

  /** Why the policy allows no other restart; empty where it does. */
  private static Optional<Verdict> spent(JobSnapshot s, Cause cause, Policy policy, Instant now) {
    int spent = Restarts.since(s.recoveries(), now.minus(policy.budgetWindow()));
    if (spent >= policy.maxRestarts()) {
      return Optional.of(
          new Verdict.Refuse(
              Reason.BUDGET_EXHAUSTED,
              "%s, but %d restarts within %s are all that the policy allows"
                  .formatted(cause.message(), spent, policy.budgetWindow())));
    }
    return Optional.empty();
  }

  /** Suspended by a recovery that no longer exists or is over: somebody deleted it. */
  private static Verdict orphaned(JobSnapshot s, Instant now) {
    Optional<Instant> lagsUntil =
        s.recoveries().stream()
            .filter(r -> r.name().equals(s.job().suspendedBy()))
            .map(RecoveryView::status)
            .filter(Objects::nonNull)
            .filter(status -> status.phase() == RecoveryPhase.RECOVERED)
            .map(RecoveryStatus::phaseSince)
            .filter(Objects::nonNull)
            .map(ended -> ended.plus(LAGS))
            .filter(now::isBefore)
            .findFirst();
    if (lagsUntil.isPresent()) {
      // It ended because it saw the job run: the view of the job is the older one.
      return new Verdict.Watch("the view of the job lags", lagsUntil.get());
    }
    String message =
        "recovery %s suspended the job and is no longer there to resume it"
            .formatted(s.job().suspendedBy());
    return Causes.recover(
        Causes.of(CauseReason.ORPHANED, message, List.of(), List.of(), List.of(), List.of(), s));
  }

  private static Verdict trouble(JobSnapshot s, Policy policy, Instant now) {
    return ForbiddenRestarts.neverRestart(s)
        .or(() -> HardwareFaults.hardwareFault(s, policy))
        .or(() -> FailedJobs.endedForGood(s, policy, now))
        .or(() -> LostNodes.lostNode(s, policy, now))
        .or(() -> cannotStart(s))
        .or(() -> RestartRequests.asked(s, now))
        .or(() -> ContainerEnds.containersEnded(s, policy, now))
        .or(() -> UnplacedGangs.unplaced(s, policy, now))
        .or(() -> ContainerEnds.cameBack(s, policy, now))
        .or(() -> NonFiniteLosses.intoNotANumber(s))
        .or(() -> NonFiniteLosses.byKubelets(s))
        .or(() -> Stalls.stalled(s, policy, now))
        .or(() -> UnplacedGangs.unstarted(s, policy, now))
        .orElseGet(() -> new Verdict.NoAction("healthy"));
  }

  private static Optional<Verdict> cannotStart(JobSnapshot s) {
    return s.pods().stream()
        .filter(p -> p.failure() != null && Objects.requireNonNull(p.failure()).cannotStart())
        .findFirst()
        .map(
            p ->
                new Verdict.Refuse(
                    Reason.POD_CANNOT_START,
                    "pod %s: %s"
                        .formatted(p.name(), Objects.requireNonNull(p.failure()).message())));
  }

  private static JobView.Mode lower(JobView.Mode a, JobView.Mode b) {
    return a.compareTo(b) <= 0 ? a : b;
  }
}
