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
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.placement.Exclusions;
import dev.rekindle.controller.recovery.ResumeCheck.Failure;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Until the whole gang of this attempt trains past the step it resumed from, or the attempt is
 * given up.
 */
final class Verifying {
  private static final Duration SOONEST = Duration.ofMillis(100);
  private static final Duration LATEST = Duration.ofSeconds(5);

  /** An agent that is there looks more often, also at ranks that make no steps. */
  static final Duration LOOKS = Duration.ofSeconds(60);

  private Verifying() {}

  static Decision decide(RecoverySnapshot s, JobView job, Policy policy, Instant now) {
    Optional<Decision> admission = Admission.awaited(s, job, now);
    if (admission.isPresent()) {
      return admission.get();
    }
    if (Admission.startedAnew(s, job)) {
      String why = "Kueue stopped the job and has started it again by itself";
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
    if (judged
        && whole(s, job, gang)
        && (held || moved(s, job, gang, progress, proof, policy, now))) {
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
    Optional<Failure> broken = broken(s, job, gang, progress, policy, now);
    return broken.isPresent()
        ? NextAttempt.after(s, job, gang, broken.get(), policy, now)
        : new Decision.Wait(waitingFor(job, gang), untilTimeDecides(s, gang, policy, now));
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
    Optional<RollBack> back = Planning.rollBack(status(s));
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
                            "the script went on from step %d although step %d was pinned"
                                .formatted(first, pinned),
                            "")));
  }

  /**
   * Until the next moment at which time alone decides something. Whatever else may change is
   * reported by a watch, and a reconcile of a gang of thousands is not to be had for nothing.
   */
  private static Duration untilTimeDecides(
      RecoverySnapshot s, List<PodView> gang, Policy policy, Instant now) {
    Duration over = overdue(s, policy, now);
    Instant next = now.minus(over.isNegative() ? over : over.minus(LOOKS));
    next =
        sooner(
            next,
            Objects.requireNonNullElse(status(s).phaseSince(), now).plus(policy.readyStable()),
            now);
    for (PodView pod : gang) {
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

  /** A node that is fit again, as after a repair, is excluded no more (seed 94012955). */
  private static boolean whole(RecoverySnapshot s, JobView job, List<PodView> gang) {
    List<String> excluded = new ArrayList<>(plan(s).excludedNodes());
    excluded.retainAll(Exclusions.of(Transitions.cause(s), s.nodes(), s.faults()));
    long slots = gang.stream().map(p -> p.role() + "/" + p.index()).distinct().count();
    return gang.size() == job.gangSize()
        && slots == gang.size()
        && s.pods().size() == gang.size()
        && gang.stream()
            .allMatch(
                p ->
                    p.phase() == PodView.Phase.RUNNING
                        && p.ready()
                        && !p.terminating()
                        && !excluded.contains(p.node()));
  }

  private static boolean moved(
      RecoverySnapshot s,
      JobView job,
      List<PodView> gang,
      GangProgress progress,
      Optional<ResumeProof> proof,
      Policy policy,
      Instant now) {
    Long step = progress.lastStep();
    if (step != null) {
      Long resumed = resumedStep(s);
      // One that took an older checkpoint by itself trains, and is not ended for that.
      boolean behind = proof.filter(p -> p.result() == ResumeResult.BEHIND).isPresent();
      return resumed == null || step > resumed || behind;
    }
    // Steps that were never seen cannot be waited for, nor those of a job that has opted out, which
    // agents follow no more; a gang that stays Ready is all there is to see.
    boolean blind =
        !ResumeCheck.prints(s)
            || !(job.optIn() instanceof JobView.OptIn.Yes)
            || isUnseen(s, progress, policy, now);
    Instant since = Objects.requireNonNullElse(status(s).phaseSince(), now);
    Instant youngest =
        Stream.concat(Stream.of(since), gang.stream().map(PodView::created))
            .max(Instant::compareTo)
            .orElse(now);
    return blind && !now.isBefore(youngest.plus(policy.readyStable()));
  }

  /**
   * Whether the time in which it must have moved is over for a while, and no agent has looked at it
   * since: it is not known to make no steps. Once an agent is back, a gang that stands is a stall.
   */
  private static boolean isUnseen(
      RecoverySnapshot s, GangProgress progress, Policy policy, Instant now) {
    return overdue(s, policy, now).compareTo(LOOKS) > 0 && !isSeen(s, progress, policy, now);
  }

  /** For how long the time in which it must have moved is over; not positive before. */
  private static Duration overdue(RecoverySnapshot s, Policy policy, Instant now) {
    return Transitions.inPhase(s, now).minus(policy.start());
  }

  /** Whether an agent has looked at it since that time was over. */
  private static boolean isSeen(
      RecoverySnapshot s, GangProgress progress, Policy policy, Instant now) {
    return progress.lookedSince(now.minus(overdue(s, policy, now)));
  }

  private static Optional<Failure> broken(
      RecoverySnapshot s,
      JobView job,
      List<PodView> gang,
      GangProgress progress,
      Policy policy,
      Instant now) {
    if (gang.stream().anyMatch(p -> hasFault(s, p))) {
      return Optional.of(Failure.interrupted("a node of the new gang is faulty"));
    }
    Optional<PodView> failed =
        gang.stream().filter(p -> p.phase() == PodView.Phase.FAILED).findFirst();
    if (job.finish() == Finish.FAILED) {
      String why = "the job failed: " + job.finishMessage();
      return Optional.of(
          failed
              .map(p -> ResumeCheck.crashed(p, why))
              .orElse(new Failure(ResumeResult.CRASHED, why, "")));
    }
    if (failed.isPresent() && !job.restartsInPlace()) {
      return failed.map(p -> ResumeCheck.crashed(p, "pod %s failed".formatted(p.name())));
    }
    Optional<PodView> silent =
        gang.stream().filter(p -> silentFor(s, p, policy.silentNode(), now)).findFirst();
    if (silent.isPresent()) {
      return silent.map(p -> Failure.interrupted("node %s does not answer".formatted(p.node())));
    }
    Optional<Failure> ended = ResumeCheck.endedWithoutAStep(s, gang, progress, now);
    if (ended.isPresent()) {
      return ended;
    }
    Duration over = overdue(s, policy, now);
    boolean unseen =
        (progress.lastStep() == null || over.compareTo(LOOKS) <= 0)
            && whole(s, job, gang)
            && ResumeCheck.prints(s)
            && !isSeen(s, progress, policy, now);
    if (!over.isPositive() || unseen) {
      return Optional.empty();
    }
    String why = "no new step within %d s%s".formatted(policy.start().toSeconds(), homeless(gang));
    return crashLooping(gang, progress)
        .map(p -> ResumeCheck.crashed(p, "%s; %s".formatted(why, exit(p))))
        .or(
            () ->
                Optional.of(
                    whole(s, job, gang) && ResumeCheck.prints(s)
                        ? new Failure(ResumeResult.NO_NEW_STEP, why, "")
                        : Failure.interrupted(why)));
  }

  /**
   * The pod of a gang in a crash loop whose container ended first, of those that the kubelets are
   * to start again; empty where all run, or where one has made a step.
   */
  private static Optional<PodView> crashLooping(List<PodView> gang, GangProgress progress) {
    return progress.lastStep() != null
        ? Optional.empty()
        : gang.stream()
            .filter(p -> p.live() && !p.terminating() && p.lastExit() != null)
            .filter(p -> p.failure() != null && p.failure().exitCode() != null)
            .min(Comparator.comparing(p -> Objects.requireNonNull(p.lastExit())));
  }

  private static String exit(PodView pod) {
    return "pod %s ended with exit code %d"
        .formatted(
            pod.name(), Objects.requireNonNull(Objects.requireNonNull(pod.failure()).exitCode()));
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

  private static String waitingFor(JobView job, List<PodView> gang) {
    long ready = gang.stream().filter(PodView::ready).count();
    return ready < job.gangSize()
        ? "%d of %d pods are Ready%s".formatted(ready, job.gangSize(), homeless(gang))
        : "the first new step";
  }

  /** What the scheduler says of a pod that finds no place: that is what capacity is missing. */
  private static String homeless(List<PodView> gang) {
    return gang.stream()
        .map(PodView::failure)
        .filter(Objects::nonNull)
        .filter(f -> f.kind().equals("Unschedulable"))
        .findFirst()
        .map(f -> "; no place for a pod: " + f.message())
        .orElse("");
  }

  private static boolean hasFault(RecoverySnapshot s, PodView pod) {
    return s.faults().stream().anyMatch(f -> f.fences() && f.node().equals(pod.node()));
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
