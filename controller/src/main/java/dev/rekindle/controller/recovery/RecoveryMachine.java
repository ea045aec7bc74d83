package dev.rekindle.controller.recovery;

import dev.rekindle.api.CheckpointVerdict;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Evidence;
import dev.rekindle.controller.diagnosis.DeviceOwners;
import dev.rekindle.controller.diagnosis.GangProgress;
import dev.rekindle.controller.diagnosis.JobSnapshot;
import dev.rekindle.controller.diagnosis.JobVerdicts;
import dev.rekindle.controller.diagnosis.Verdict;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.model.ResumeOrder;
import dev.rekindle.controller.placement.Exclusions;
import dev.rekindle.controller.recovery.Decision.Note;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The state machine of one recovery. By rebuild: suspend, drain to zero, patch, resume, verify; in
 * place ({@link InPlace}): freeze, replace, pin, kill, verify.
 *
 * <ol>
 *   <li>Detected: wait for approval where the job asks for it.
 *   <li>Fencing: every node with a hardware witness, one that still stands, is cordoned before any
 *       pod is deleted, unless the breaker forbids.
 *   <li>Draining: the way is chosen. For a rebuild the job is suspended by us, and its pods are
 *       deleted with a capped grace period as soon as the API server has accepted that; under Never
 *       only once the operator has seen the suspension. Objects of pods on nodes that do not answer
 *       are removed by force only when every other pod is gone.
 *   <li>Planning: nothing of the gang exists; there is room for the whole of it, and the checkpoint
 *       is judged by a scan that began after the drain.
 *   <li>Resuming: one write patches the templates and un-suspends.
 *   <li>Verifying: the whole gang of this attempt runs, on allowed nodes, and moves past the step
 *       it resumed from.
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
  private static final String HOW_TO_APPROVE = "set spec.approved to true to let it go on";
  static final Duration SOON = Duration.ofMillis(250);
  static final Duration LATER = Duration.ofSeconds(5);

  private RecoveryMachine() {}

  /** The attempt id that pods of the attempt carry. */
  public static String attemptId(RecoverySnapshot s) {
    return attemptId(s.recovery());
  }

  /** The same, of a recovery with a status. */
  static String attemptId(RecoveryView recovery) {
    return recovery.name() + "-" + Objects.requireNonNull(recovery.status()).attempt();
  }

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
    return Refusals.applied(s, wanted(s, policy, now), now);
  }

  /** The next step, if the API server does what it is asked for. */
  private static Decision wanted(RecoverySnapshot s, Policy policy, Instant now) {
    RecoveryPhase phase = phase(s);
    if (phase.isTerminal()) {
      return new Decision.Wait("over", LATER);
    }
    JobView job = s.job();
    if (job == null) {
      return end(s, RecoveryPhase.CANCELLED, "the job was deleted", now);
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
    boolean untouched =
        !job.suspended()
            && s.order() == null
            && (phase == RecoveryPhase.FENCING || phase == RecoveryPhase.DRAINING);
    if (untouched && status(s).phase() == RecoveryPhase.HELD && isOver(s, job, policy, now)) {
      return end(s, RecoveryPhase.CANCELLED, OVER, now);
    }
    if (untouched && mustAsk(s, job, policy)) {
      return hold(s, HoldReason.AWAITING_APPROVAL, HOW_TO_APPROVE, now);
    }
    return switch (phase) {
      case DETECTED -> detected(s, job, policy, now);
      case FENCING -> Fencing.decide(s, policy, now);
      case DRAINING -> Draining.decide(s, job, policy, now);
      case PLANNING -> Planning.decide(s, job, policy, now);
      case RESUMING ->
          InPlace.chosen(s) ? InPlace.resume(s, job, policy, now) : resuming(s, job, now);
      case VERIFYING -> Verifying.decide(s, job, policy, now);
      case RECOVERED, HELD, FAILED, CANCELLED -> throw new IllegalStateException(phase.word());
    };
  }

  /**
   * Phases in which a job that opts out is let go, unless it is suspended or frozen: what we have
   * suspended or frozen we bring back first.
   */
  private static boolean mayStillSuspend(RecoveryPhase phase) {
    return phase == RecoveryPhase.DETECTED
        || phase == RecoveryPhase.FENCING
        || phase == RecoveryPhase.DRAINING;
  }

  /**
   * Whether a person has to approve and has not. Asked until the job is suspended or frozen, as the
   * mode may change while the recovery is held: what has been stopped is brought back unasked.
   */
  private static boolean mustAsk(RecoverySnapshot s, JobView job, Policy policy) {
    boolean approve =
        policy.mode() == JobView.Mode.APPROVE
            || (job.optIn() instanceof JobView.OptIn.Yes(JobView.Mode mode)
                && mode == JobView.Mode.APPROVE);
    return approve && !Boolean.TRUE.equals(s.recovery().spec().approved());
  }

  private static Decision detected(RecoverySnapshot s, JobView job, Policy policy, Instant now) {
    if (mustAsk(s, job, policy)) {
      return hold(s, HoldReason.AWAITING_APPROVAL, HOW_TO_APPROVE, now);
    }
    if (status(s).phase() == RecoveryPhase.HELD && isOver(s, job, policy, now)) {
      return end(s, RecoveryPhase.CANCELLED, OVER, now);
    }
    return cause(s).faultyNodes().isEmpty()
        ? enter(s, RecoveryPhase.DRAINING, "no node to fence", now)
        : enter(s, RecoveryPhase.FENCING, Names.of(cause(s).faultyNodes()), now);
  }

  /**
   * Whether what was held is no longer needed: the whole gang has trained since it was held, and no
   * verdict would open a recovery now.
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

  private static Decision resuming(RecoverySnapshot s, JobView job, Instant now) {
    if (!job.suspended() && job.attempt().equals(attemptId(s))) {
      return enter(s, RecoveryPhase.VERIFYING, "un-suspended as attempt " + attemptId(s), now);
    }
    if (!job.suspended()) {
      return end(s, RecoveryPhase.CANCELLED, "the job was resumed by its user", now);
    }
    Optional<String> scaled = Scaling.since(s, job);
    if (scaled.isPresent()) {
      return enter(
          s.with(GoingBack.orNot(s)), RecoveryPhase.PLANNING, scaled.get() + ": planned anew", now);
    }
    return new Decision.Act(List.of(new Effect.Resume(order(s)), new Effect.StopInspector()), SOON);
  }

  private static ResumeOrder order(RecoverySnapshot s) {
    RecoveryStatus.Plan plan = Objects.requireNonNull(status(s).plan());
    List<String> hostnames =
        Exclusions.named(plan.excludedNodes(), s.nodes()).stream()
            .map(n -> Optional.ofNullable(s.nodes().get(n)).map(NodeView::hostname).orElse(n))
            .distinct()
            .toList();
    RecoveryStatus.PinnedCheckpoint pin = plan.checkpoint();
    boolean told = pin != null && pin.verdict() == CheckpointVerdict.VALID && wantsEnv(s);
    return new ResumeOrder(
        s.recovery().name(),
        attemptId(s),
        hostnames,
        plan.preferredTopology(),
        told ? Objects.requireNonNull(pin).path() : null,
        told ? Objects.requireNonNull(pin).step() : null,
        cause(s).reason());
  }

  private static boolean wantsEnv(RecoverySnapshot s) {
    return s.job() != null && s.job().resumeByEnv();
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

  /**
   * Faults that came to light since: several of one burst are one recovery. A node that was
   * released after its repair and is faulty again counts like any other.
   */
  static Optional<Decision> learnFaults(RecoverySnapshot s, Instant now) {
    List<String> podNodes = s.pods().stream().map(PodView::node).toList();
    boolean fencing = phase(s) == RecoveryPhase.FENCING;
    List<FaultView> fresh =
        DeviceOwners.concerning(s.pods(), s.faults()).stream()
            .filter(f -> f.fences() && podNodes.contains(f.node()))
            .filter(
                f ->
                    !cause(s).faultyNodes().contains(f.node())
                        || (!fencing && Fencing.mayFence(s) && Fencing.isSchedulable(s, f.node())))
            .toList();
    if (fresh.isEmpty()) {
      return Optional.empty();
    }
    FaultView first = fresh.getFirst();
    String detail = "also %s on node %s".formatted(first.code(), first.node());
    RecoveryStatus next = status(s).withCause(addFaults(cause(s), fresh));
    boolean known = fresh.stream().anyMatch(f -> cause(s).faultyNodes().contains(f.node()));
    if (!known && !tellsMore(cause(s).faultyNodes(), cause(next).faultyNodes())) {
      return Optional.empty();
    }
    return Optional.of(
        new Decision.Move(
            RecoveryStatusBuilder.enter(next, RecoveryPhase.FENCING, detail, now), List.of()));
  }

  /**
   * Whether names were added: what has no place in an object must not be learnt again and again.
   */
  static boolean tellsMore(List<String> before, List<String> after) {
    return after.size() > before.size();
  }

  static Cause addFaults(Cause cause, List<FaultView> faults) {
    List<Evidence> evidence = new ArrayList<>(cause.evidence());
    for (FaultView fault : faults) {
      if (evidence.size() < 8) {
        evidence.add(Evidence.onNode(fault.node(), fault.evidence()));
      }
    }
    List<String> added = faults.stream().map(FaultView::node).toList();
    Cause sorted =
        cause.with(
            b ->
                b.evidence(List.copyOf(evidence))
                    .faultyNodes(together(cause.faultyNodes(), added, true)));
    return sorted.faultyNodes().containsAll(cause.faultyNodes())
        ? sorted
        : sorted.withFaultyNodes(together(cause.faultyNodes(), added, false));
  }

  static Cause addSilent(Cause cause, List<String> silent) {
    Cause sorted = cause.withSilentNodes(together(cause.silentNodes(), silent, true));
    return sorted.silentNodes().containsAll(cause.silentNodes())
        ? sorted
        : cause.withSilentNodes(together(cause.silentNodes(), silent, false));
  }

  /** An object holds only so many names: of too many those stay that were there before. */
  private static List<String> together(List<String> before, List<String> added, boolean sorted) {
    Stream<String> all = Stream.concat(before.stream(), added.stream().sorted()).distinct();
    return (sorted ? all.sorted() : all).toList();
  }

  /**
   * The step reached is the newest seen until the drain was over; steps trained after it are lost
   * as well.
   */
  static Cause reached(Cause cause, @Nullable Long step) {
    Long last = cause.lastStep();
    boolean further = step != null && (last == null || step > last);
    return cause.withLastStep(further ? step : last);
  }

  /**
   * Enters Held once; later the same call only waits. What is held goes on by itself when the phase
   * lets it.
   */
  static Decision hold(RecoverySnapshot s, HoldReason reason, String text, Instant now) {
    String why = reason.word() + ": " + text;
    boolean already =
        status(s).phase() == RecoveryPhase.HELD
            && HoldReason.of(status(s)).map(reason::equals).orElse(true);
    return already
        ? new Decision.Wait(why, LATER)
        : new Decision.Move(
            RecoveryStatusBuilder.hold(status(s), reason, why, now),
            List.of(new Note(Reason.RECOVERY_HELD, why, "")));
  }

  static Decision enter(RecoverySnapshot s, RecoveryPhase phase, String detail, Instant now) {
    return new Decision.Move(RecoveryStatusBuilder.enter(status(s), phase, detail, now), List.of());
  }

  static Decision end(RecoverySnapshot s, RecoveryPhase phase, String why, Instant now) {
    Reason reason =
        phase == RecoveryPhase.CANCELLED ? Reason.RECOVERY_CANCELLED : Reason.RECOVERY_FAILED;
    return new Decision.Move(
        RecoveryStatusBuilder.enter(GoingBack.orNot(s), phase, why, now),
        List.of(new Note(reason, why, "")));
  }

  /** The phase whose rules apply: a held recovery is judged by the phase it is held from. */
  static RecoveryPhase phase(RecoveryView recovery) {
    RecoveryStatus status = Objects.requireNonNull(recovery.status());
    RecoveryPhase phase = Objects.requireNonNull(status.phase());
    return phase == RecoveryPhase.HELD ? Objects.requireNonNull(status.heldFrom()) : phase;
  }

  private static RecoveryPhase phase(RecoverySnapshot s) {
    return phase(s.recovery());
  }

  static RecoveryStatus status(RecoverySnapshot s) {
    return Objects.requireNonNull(s.recovery().status());
  }

  static Cause cause(RecoverySnapshot s) {
    return cause(status(s));
  }

  static Cause cause(RecoveryStatus status) {
    return Objects.requireNonNull(status.cause());
  }

  static Duration inPhase(RecoverySnapshot s, Instant now) {
    return Duration.between(Objects.requireNonNullElse(status(s).phaseSince(), now), now);
  }
}
