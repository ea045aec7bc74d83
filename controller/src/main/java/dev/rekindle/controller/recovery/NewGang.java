package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.Transitions.status;

import dev.rekindle.api.FormerRun;
import dev.rekindle.api.ResumeResult;
import dev.rekindle.controller.diagnosis.GangProgress;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
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

/**
 * The gang that an attempt has started: whether it is whole, whether it trains, and why it is given
 * up.
 *
 * @param pods the pods of the attempt
 * @param progress their steps, from the reports on containers of the attempt
 */
record NewGang(
    RecoverySnapshot s,
    JobView job,
    List<PodView> pods,
    GangProgress progress,
    Policy policy,
    Instant now) {
  /** An agent that runs reports more often than this, even on ranks without steps. */
  static final Duration REPORTS = Duration.ofSeconds(60);

  /**
   * Whether every place of the gang has one pod, which runs and is Ready where the plan allows it.
   * A node that is fit again, as after a repair, is no longer excluded (seed 94012955).
   */
  boolean isWhole() {
    List<String> excluded =
        new ArrayList<>(Objects.requireNonNull(status(s).plan()).excludedNodes());
    excluded.retainAll(Exclusions.of(Transitions.cause(s), s.nodes(), s.faults()));
    long slots = pods.stream().map(p -> p.role() + "/" + p.index()).distinct().count();
    return pods.size() == job.gangSize()
        && slots == pods.size()
        && s.pods().size() == pods.size()
        && pods.stream()
            .allMatch(
                p ->
                    p.phase() == PodView.Phase.RUNNING
                        && p.ready()
                        && !p.terminating()
                        && !excluded.contains(p.node()));
  }

  /** Whether it trains past the checkpoint, or has stayed Ready where steps cannot be seen. */
  boolean hasMoved(Optional<ResumeProof> proof) {
    Long step = progress.lastStep();
    if (step != null) {
      Long resumed = Verifying.resumedStep(s);
      // One that took an older checkpoint by itself trains, and is not ended for that.
      boolean behind = proof.filter(p -> p.result() == ResumeResult.BEHIND).isPresent();
      return resumed == null || step > resumed || behind;
    }
    // Where steps are not reported, or agents no longer follow a job that has opted out, that all
    // pods stay Ready is the only sign of success.
    boolean blind =
        !ResumeCheck.prints(s) || !(job.optIn() instanceof JobView.OptIn.Yes) || isUnseen();
    Instant since = Objects.requireNonNullElse(status(s).phaseSince(), now);
    Instant youngest =
        Stream.concat(Stream.of(since), pods.stream().map(PodView::created))
            .max(Instant::compareTo)
            .orElse(now);
    return blind && !now.isBefore(youngest.plus(policy.readyStable()));
  }

  /**
   * Whether its time to start is over for a while, and no agent has reported on it since: it may
   * make steps. Once an agent is back, a gang without steps is a stall.
   */
  private boolean isUnseen() {
    return overdue().compareTo(REPORTS) > 0 && !isSeen();
  }

  /** How long its time to start is over; not positive before. */
  Duration overdue() {
    return Transitions.inPhase(s, now).minus(policy.start());
  }

  /** Whether an agent has reported on it since that time was over. */
  private boolean isSeen() {
    return progress.lookedSince(now.minus(overdue()));
  }

  /** Why the attempt is given up; empty while it is not. */
  Optional<Failure> failure() {
    if (pods.stream().anyMatch(this::hasFault)) {
      return Optional.of(Failure.interrupted("a node of the new gang is faulty"));
    }
    Optional<PodView> failed =
        pods.stream().filter(p -> p.phase() == PodView.Phase.FAILED).findFirst();
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
        pods.stream().filter(p -> Verifying.silentFor(s, p, policy.silentNode(), now)).findFirst();
    if (silent.isPresent()) {
      return silent.map(p -> Failure.interrupted("node %s does not answer".formatted(p.node())));
    }
    Optional<Failure> ended = ResumeCheck.endedWithoutAStep(s, pods, progress, now);
    if (ended.isPresent()) {
      return ended;
    }
    Optional<PodView> loops =
        isWithoutStep()
            ? startLoop().flatMap(loop -> loop.crashing(status(s).restartsAtStart(), isLate()))
            : Optional.empty();
    if (loops.isPresent()) {
      return loops.map(
          p ->
              ResumeCheck.crashed(
                  p,
                  "no new step, and containers end again and again: %s, and was started again %d times"
                      .formatted(exit(p), p.restarts())));
    }
    Duration over = overdue();
    boolean unseen =
        (progress.lastStep() == null || over.compareTo(REPORTS) <= 0)
            && isWhole()
            && ResumeCheck.prints(s)
            && !isSeen();
    if (!over.isPositive() || unseen) {
      return Optional.empty();
    }
    String why = "no new step within %d s%s".formatted(policy.start().toSeconds(), unschedulable());
    return crashLooping()
        .map(p -> ResumeCheck.crashed(p, "%s; %s".formatted(why, exit(p))))
        .or(
            () ->
                Optional.of(
                    isWhole() && ResumeCheck.prints(s)
                        ? new Failure(ResumeResult.NO_NEW_STEP, why, "")
                        : Failure.interrupted(why)));
  }

  private boolean isWithoutStep() {
    return progress.lastStep() == null;
  }

  /** Whether it takes more than twice as long as the gang before it took to its first step. */
  private boolean isLate() {
    FormerRun before = Transitions.cause(s).before();
    if (before == null || before.created() == null || before.firstStepTime() == null) {
      return false;
    }
    Duration took = Duration.between(before.created(), before.firstStepTime());
    return !took.isNegative()
        && Transitions.inPhase(s, now).compareTo(took.multipliedBy(2).plus(REPORTS)) > 0;
  }

  private Optional<StartLoop> startLoop() {
    return StartLoop.of(pods, job.gangSize(), s.ranks(), InPlace.generation(s));
  }

  /**
   * Most restarts by a kubelet of one of its containers; none while not all pods run, or once it
   * has made a step.
   */
  int restarts() {
    return isWithoutStep() ? startLoop().map(StartLoop::most).orElse(0) : 0;
  }

  /**
   * The pod of a gang in a crash loop whose container ended first, of those that the kubelets are
   * to start again; empty where all run, or where one has made a step.
   */
  private Optional<PodView> crashLooping() {
    return progress.lastStep() != null
        ? Optional.empty()
        : pods.stream()
            .filter(p -> p.live() && !p.terminating() && p.lastExit() != null)
            .filter(p -> p.failure() != null && p.failure().exitCode() != null)
            .min(Comparator.comparing(p -> Objects.requireNonNull(p.lastExit())));
  }

  private static String exit(PodView pod) {
    return "pod %s ended with exit code %d"
        .formatted(
            pod.name(), Objects.requireNonNull(Objects.requireNonNull(pod.failure()).exitCode()));
  }

  /** What is missing, for people. */
  String waitingFor() {
    long ready = pods.stream().filter(PodView::ready).count();
    return ready < job.gangSize()
        ? "%d of %d pods are Ready%s".formatted(ready, job.gangSize(), unschedulable())
        : "the first new step";
  }

  /** The message of the scheduler on a pod without a node; empty where all have one. */
  private String unschedulable() {
    return pods.stream()
        .map(PodView::failure)
        .filter(Objects::nonNull)
        .filter(f -> f.kind().equals("Unschedulable"))
        .findFirst()
        .map(f -> "; no place for a pod: " + f.message())
        .orElse("");
  }

  private boolean hasFault(PodView pod) {
    return s.faults().stream().anyMatch(f -> f.fences() && f.node().equals(pod.node()));
  }
}
