package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.Transitions.LATER;
import static dev.rekindle.controller.recovery.Transitions.cause;
import static dev.rekindle.controller.recovery.Transitions.end;
import static dev.rekindle.controller.recovery.Transitions.enter;
import static dev.rekindle.controller.recovery.Transitions.phase;
import static dev.rekindle.controller.recovery.Transitions.status;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.controller.diagnosis.GangProgress;
import dev.rekindle.controller.diagnosis.JobSnapshot;
import dev.rekindle.controller.diagnosis.JobVerdicts;
import dev.rekindle.controller.diagnosis.Verdict;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.QueuedJob;
import dev.rekindle.controller.model.RecoveryView;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The state machine of one recovery. By rebuild: suspend, drain to zero, patch, resume, verify; in
 * place ({@link InPlace}): freeze, replace, pin, kill, verify.
 *
 * <ol>
 *   <li>Detected: wait for approval where the job requests it, while the policy is paused, and for
 *       a maintenance window where the gang trains on ({@link MaintenanceHold}).
 *   <li>Fencing: every node with a hardware witness, one that still stands, is cordoned before any
 *       pod is deleted, unless the breaker forbids.
 *   <li>Draining: the way is chosen. For a rebuild the job is suspended by us, and its pods are
 *       deleted with a capped grace period as soon as the API server has accepted that; under Never
 *       only once the operator has seen the suspension. Objects of pods on nodes that do not answer
 *       are removed by force only when every other pod is gone.
 *   <li>Planning: nothing of the gang exists; there is room for the whole of it, and the checkpoint
 *       is judged by a scan that began after the drain.
 *   <li>Resuming: one write patches the templates and un-suspends, while there is room still.
 *   <li>Verifying: the whole gang of this attempt runs, on allowed nodes, and moves past the step
 *       it resumed from; on RDMA where the job requires it.
 * </ol>
 *
 * What the API server refuses again and again ends in Held, with its words ({@link Refusals}).
 *
 * <p>Guarantees: effects belong to the stored phase, so a new leader repeats them and nothing else;
 * pods of the current attempt are never deleted while draining for it; a job is left un-suspended
 * when a recovery ends in any way but its user's own suspension.
 */
public final class RecoveryMachine {
  private static final String OVER = "the trouble is over: the gang came back and trains";

  private RecoveryMachine() {}

  /**
   * The recovery of the same job that has come to its end since this one was opened, where this one
   * has done nothing yet. Two leaders that overlap may open two for one trouble: each from a cache
   * that does not show the other's.
   */
  static Optional<String> answeredBy(RecoveryView recovery, List<RecoveryView> all) {
    RecoveryStatus status = recovery.status();
    Instant opened = recovery.spec().detectedAt();
    if (status == null || status.phase() != RecoveryPhase.DETECTED || opened == null) {
      return Optional.empty();
    }
    return all.stream()
        .filter(r -> r.spec().jobUid().equals(recovery.spec().jobUid()) && !r.open())
        .filter(r -> endedAfter(r, opened))
        .map(RecoveryView::name)
        .findFirst();
  }

  private static boolean endedAfter(RecoveryView recovery, Instant then) {
    RecoveryStatus status = recovery.status();
    Instant since = status == null ? null : status.phaseSince();
    return since != null && since.isAfter(then);
  }

  /** Decides the next step. Pure: the same snapshot, policy and time give the same decision. */
  public static Decision decide(RecoverySnapshot s, Policy policy, Instant now) {
    Optional<RecoverySnapshot> noted = Approval.noted(s, policy, now);
    RecoverySnapshot seen = noted.orElse(s);
    Decision wanted = PodGroups.keptLooking(seen, wanted(seen, policy, now), now);
    Decision next = Refusals.applied(seen, QuotaHold.endedFirst(seen, wanted, now), now);
    return noted.isEmpty() || next instanceof Decision.Move
        ? CauseUpdates.withReached(seen, next)
        : new Decision.Move(status(seen), List.of());
  }

  /** The next step, if the API server does what it is asked. */
  private static Decision wanted(RecoverySnapshot s, Policy policy, Instant now) {
    RecoveryPhase phase = phase(s);
    if (phase.isTerminal()) {
      return new Decision.Wait("over", LATER);
    }
    JobView job = s.job();
    if (job == null) {
      return end(s, RecoveryPhase.CANCELLED, "the job was deleted", now);
    }
    if (job.finish() == Finish.SUCCEEDED && phase == RecoveryPhase.VERIFYING) {
      return Verifying.succeeded(s, job, now);
    }
    if (job.finish() == Finish.SUCCEEDED) {
      return end(s, RecoveryPhase.CANCELLED, "the job succeeded", now);
    }
    if (job.suspended() && !job.suspendedBy().equals(s.recovery().name())) {
      // Once it was drained in our name, another name means that another recovery has taken over.
      String who = job.suspendedBy().isEmpty() ? "its user" : "recovery " + job.suspendedBy();
      if (!adopts(s) || !mayStillSuspend(phase)) {
        return end(s, RecoveryPhase.CANCELLED, "the job was suspended by " + who, now);
      }
    }
    if (QueuedJob.isOne(job) && job.finish() == Finish.FAILED) {
      return end(s, RecoveryPhase.FAILED, "the operator has failed the job. " + job.notOurs(), now);
    }
    if (job.queued() && mayStillSuspend(phase) && (s.order() == null || !InPlace.chosen(s))) {
      String who = "Kueue has stopped the job, and starts it again";
      return end(s, RecoveryPhase.CANCELLED, who, now);
    }
    if (!job.suspended() && isOrphans(s) && status(s).attempt() <= 1 && mayStillSuspend(phase)) {
      // The recovery that was not seen is there after all, or its user resumed it.
      return end(s, RecoveryPhase.CANCELLED, "the job is no longer suspended", now);
    }
    String optedOut = job.handsOff();
    if (!optedOut.isEmpty()
        && !job.suspended()
        && (s.order() == null || !InPlace.chosen(s))
        && mayStillSuspend(phase)) {
      return end(s, RecoveryPhase.CANCELLED, optedOut, now);
    }
    // What has been stopped is brought back unasked; the mode may change while it is held.
    boolean untouched = MaintenanceHold.untouched(s, job);
    Optional<Decision> unapproved =
        untouched || phase == RecoveryPhase.DETECTED
            ? Approval.missing(s, job, policy, now)
            : Optional.empty();
    boolean asksFirst = phase == RecoveryPhase.DETECTED && unapproved.isPresent();
    if (untouched
        && !asksFirst
        && (status(s).phase() == RecoveryPhase.HELD || s.failures().any(now))
        && isOver(s, job, policy, now)) {
      return end(s, RecoveryPhase.CANCELLED, OVER, now);
    }
    Optional<Decision> held = unapproved.or(() -> MaintenanceHold.decide(s, job, policy, now));
    if (held.isPresent()) {
      return held.get();
    }
    return switch (phase) {
      case DETECTED -> detected(s, now);
      case FENCING -> Fencing.decide(s, policy, now);
      case DRAINING -> Draining.decide(s, job, policy, now);
      case PLANNING -> Planning.decide(s, job, policy, now);
      case RESUMING ->
          InPlace.chosen(s) ? InPlace.resume(s, job, policy, now) : Resuming.decide(s, job, now);
      case VERIFYING -> Verifying.decide(s, job, policy, now);
      case RECOVERED, HELD, FAILED, CANCELLED -> throw new IllegalStateException(phase.word());
    };
  }

  /**
   * Phases in which the recovery of a job that opts out is cancelled, unless the job is suspended
   * or frozen: what Rekindle has suspended or frozen it resumes first.
   */
  private static boolean mayStillSuspend(RecoveryPhase phase) {
    return phase == RecoveryPhase.DETECTED
        || phase == RecoveryPhase.FENCING
        || phase == RecoveryPhase.DRAINING;
  }

  private static Decision detected(RecoverySnapshot s, Instant now) {
    return cause(s).faultyNodes().isEmpty()
        ? enter(s, RecoveryPhase.DRAINING, "no node to fence", now)
        : enter(s, RecoveryPhase.FENCING, Names.of(cause(s).faultyNodes()), now);
  }

  /**
   * Whether what was held, or could not be begun as calls fail (seed 8422), is no longer needed:
   * the whole gang has trained since then, and no verdict would open a recovery now.
   */
  private static boolean isOver(RecoverySnapshot s, JobView job, Policy policy, Instant now) {
    Instant held = status(s).phaseSince();
    Instant stepped = GangProgress.of(s.pods(), s.ranks()).lastStepTime();
    boolean whole =
        s.pods().size() == job.gangSize()
            && s.pods().stream().allMatch(p -> p.ready() && p.live() && !p.terminating());
    if (!whole || held == null || stepped == null || !stepped.isAfter(held)) {
      return false;
    }
    Verdict verdict =
        JobVerdicts.decide(
            new JobSnapshot(job, s.pods(), s.nodes(), s.faults(), s.ranks(), List.of()),
            policy,
            now);
    return !(verdict instanceof Verdict.Recover || verdict instanceof Verdict.Refuse);
  }

  /**
   * A recovery of an orphaned job takes the suspension over from the recovery that is no longer
   * there.
   */
  private static boolean adopts(RecoverySnapshot s) {
    return isOrphans(s) && s.job() != null && !s.job().suspendedBy().isEmpty();
  }

  /** Whether all that is the matter is that the job is suspended, by a recovery that is gone. */
  private static boolean isOrphans(RecoverySnapshot s) {
    return cause(s).reason().equals(Cause.ORPHANED);
  }
}
