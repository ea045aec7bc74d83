package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.Transitions.attemptId;
import static dev.rekindle.controller.recovery.Transitions.status;

import dev.rekindle.api.PinnedCheckpoint;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.ResumeResult;
import dev.rekindle.api.RollBack;
import dev.rekindle.controller.diagnosis.GangProgress;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.recovery.ResumeCheck.Failure;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Until the whole gang of this attempt trains past the step it resumed from, or the attempt is
 * given up.
 */
final class Verifying {
  private static final Duration SOONEST = Duration.ofMillis(100);
  private static final Duration LATEST = Duration.ofSeconds(5);

  private Verifying() {}

  static Decision decide(RecoverySnapshot s, JobView job, Policy policy, Instant now) {
    Optional<Decision> admission = Admission.awaited(s, job, now);
    if (admission.isPresent()) {
      return admission.get();
    }
    if (Admission.startedAnew(s, job)) {
      String why = "Kueue stopped the job and has started it again";
      return Transitions.end(s, RecoveryPhase.CANCELLED, why, now);
    }
    Optional<Generation> generation = InPlace.generation(s);
    if (InPlace.chosen(s) && generation.isEmpty()) {
      Failure gone = Failure.interrupted("the order to the agents is gone");
      return NextAttempt.after(s, job, s.pods(), gone, policy, now);
    }
    List<PodView> gang = gang(s, generation);
    List<RankView> ranks = ranks(s, generation);
    GangProgress progress = GangProgress.of(gang, ranks);
    NewGang started = new NewGang(s, job, gang, progress, policy, now);
    Optional<ResumeProof> proof = ResumeCheck.of(s, gang, ranks);
    Optional<Failure> failed =
        proof
            .filter(p -> p.result().failed())
            .map(Failure::of)
            .or(() -> astray(s, job, progress, proof));
    if (failed.isPresent()) {
      return NextAttempt.after(s, job, gang, failed.get(), policy, now);
    }
    boolean judged = proof.isPresent() || progress.lastStep() == null;
    boolean held = RequiredRdma.isHeld(s);
    // What is held had moved before; how long it stays Ready is counted from the phase before.
    if (judged && started.isWhole() && (held || started.hasMoved(proof))) {
      return switch (RequiredRdma.of(s, job, progress, policy, now)) {
        case RequiredRdma.Outcome.Met _ when held ->
            RequiredRdma.released(s, "nothing keeps the gang from being recovered", now);
        case RequiredRdma.Outcome.Met _ -> RecoveredGang.over(s, job, gang, progress, proof, now);
        case RequiredRdma.Outcome.Waits(Decision waits) -> waits;
        case RequiredRdma.Outcome.Fails(Failure failure) ->
            NextAttempt.after(s, job, gang, failure, policy, now);
      };
    }
    if (held) {
      return RequiredRdma.released(s, "the gang is not whole any more", now);
    }
    if (!started.isWhole() && RequiredRdma.awaitsLines(s)) {
      return RequiredRdma.forgotten(s);
    }
    Optional<Failure> broken = started.failure();
    if (broken.isPresent()) {
      return NextAttempt.after(s, job, gang, broken.get(), policy, now);
    }
    int restarts = started.restarts();
    return restarts > 0 && status(s).restartsAtStart() == null
        ? new Decision.Move(status(s).withRestartsAtStart(restarts), List.of())
        : new Decision.Wait(started.waitingFor(), untilTimeDecides(s, started, policy, now));
  }

  /** The pods of the attempt. */
  private static List<PodView> gang(RecoverySnapshot s, Optional<Generation> generation) {
    return s.pods().stream()
        .filter(
            p ->
                InPlace.chosen(s)
                    ? generation.map(g -> g.has(p)).orElse(false)
                    : p.attempt().equals(attemptId(s)))
        .toList();
  }

  /** The reports on containers of the attempt. */
  static List<RankView> ranks(RecoverySnapshot s, Optional<Generation> generation) {
    return s.ranks().stream()
        .filter(r -> !InPlace.chosen(s) || generation.map(g -> g.has(r)).orElse(false))
        .toList();
  }

  /**
   * A script restarted in place has begun before the pinned checkpoint, as it was given none, or
   * from what it was sent back from, although it was; a rebuild gives it one.
   */
  private static Optional<Failure> astray(
      RecoverySnapshot s, JobView job, GangProgress progress, Optional<ResumeProof> proof) {
    Long pinned = resumedStep(s);
    if (!InPlace.chosen(s) || pinned == null || !job.resumeByEnv()) {
      return Optional.empty();
    }
    Optional<RollBack> back = CheckpointPin.rollBack(status(s));
    Optional<Failure> behind =
        proof.filter(p -> p.result() == ResumeResult.BEHIND).map(Failure::of);
    return behind.or(
        () ->
            progress.reports().stream()
                .map(RankView::firstStep)
                .filter(Objects::nonNull)
                .filter(first -> back.isPresent() && first > back.get().from())
                .findFirst()
                .map(
                    first ->
                        new Failure(
                            ResumeResult.AHEAD,
                            "the script continued from step %d although step %d was pinned"
                                .formatted(first, pinned),
                            "")));
  }

  /**
   * Until the next moment at which time alone decides something. Whatever else may change is
   * reported by a watch, and a reconcile of a gang of thousands is not to be had for nothing.
   */
  private static Duration untilTimeDecides(
      RecoverySnapshot s, NewGang gang, Policy policy, Instant now) {
    Duration over = gang.overdue();
    Instant next = now.minus(over.isNegative() ? over : over.minus(NewGang.REPORTS));
    next =
        sooner(
            next,
            Objects.requireNonNullElse(status(s).phaseSince(), now).plus(policy.readyStable()),
            now);
    for (PodView pod : gang.pods()) {
      next = sooner(next, pod.created().plus(policy.readyStable()), now);
      NodeView node = s.nodes().get(pod.node());
      if (node != null && node.readiness() == NodeView.Readiness.SILENT) {
        Instant since = Objects.requireNonNullElse(node.readinessSince(), now);
        next = sooner(next, since.plus(policy.silentNode()), now);
      }
    }
    Duration wait = Duration.between(now, next);
    if (wait.compareTo(SOONEST) < 0) {
      return SOONEST;
    }
    return wait.compareTo(LATEST) > 0 ? LATEST : wait;
  }

  private static Instant sooner(Instant next, Instant candidate, Instant now) {
    return candidate.isAfter(now) && candidate.isBefore(next) ? candidate : next;
  }

  /** The job has succeeded: after a step of its new gang, as far as can be seen, or without one. */
  static Decision succeeded(RecoverySnapshot s, JobView job, Instant now) {
    List<PodView> gang = gang(s, InPlace.generation(s));
    GangProgress progress = GangProgress.of(gang, ranks(s, InPlace.generation(s)));
    Long pinned = resumedStep(s);
    Instant end = job.finishedAt();
    boolean unseen = progress.reports().isEmpty() || !ResumeCheck.prints(s);
    if (unseen || end == null || pinned == null || progress.lastStep() != null) {
      return Transitions.end(s, RecoveryPhase.CANCELLED, "the job succeeded", now);
    }
    if (!ResumeCheck.isOver(end, now)) {
      return new Decision.Wait("reports of what it did may be behind", ResumeCheck.LAGS);
    }
    String why =
        ("the job succeeded without a new step after the checkpoint of step %d: it did not resume,"
                + " or had nothing left to do")
            .formatted(pinned);
    Failure failure = new Failure(ResumeResult.NO_NEW_STEP, why, "");
    return new Decision.Move(
        RecoveryStatusBuilder.enter(
            ResumeCheck.withAttempt(s, progress, failure, now), RecoveryPhase.FAILED, why, now),
        List.of(
            new Decision.Note(Reason.RESUME_FAILED, why, ""),
            new Decision.Note(Reason.RECOVERY_FAILED, why, "")));
  }

  static boolean silentFor(RecoverySnapshot s, PodView pod, Duration least, Instant now) {
    if (pod.node().isEmpty()) {
      return false;
    }
    NodeView node = s.nodes().get(pod.node());
    if (node == null) {
      return true;
    }
    Instant since = Objects.requireNonNullElse(node.readinessSince(), now);
    return node.readiness() == NodeView.Readiness.SILENT
        && Duration.between(since, now).compareTo(least) >= 0;
  }

  static @Nullable Long resumedStep(RecoverySnapshot s) {
    PinnedCheckpoint pin = plan(s).checkpoint();
    return pin == null ? null : pin.step();
  }

  private static Plan plan(RecoverySnapshot s) {
    return Objects.requireNonNull(status(s).plan());
  }
}
