package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.Transitions.attemptId;
import static dev.rekindle.controller.recovery.Transitions.cause;
import static dev.rekindle.controller.recovery.Transitions.status;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Outcome;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.RecoveryStatus.RollBack;
import dev.rekindle.controller.diagnosis.GangProgress;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.Reason;
import java.time.Duration;
import java.time.Instant;
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

  private Verifying() {}

  static Decision decide(RecoverySnapshot s, JobView job, Policy policy, Instant now) {
    Optional<Generation> generation = InPlace.generation(s);
    if (InPlace.chosen(s) && generation.isEmpty()) {
      return again(s, job, s.pods(), "the order to the agents is gone", policy, now);
    }
    List<PodView> gang =
        s.pods().stream()
            .filter(
                p ->
                    InPlace.chosen(s)
                        ? generation.orElseThrow().has(p)
                        : p.attempt().equals(attemptId(s)))
            .toList();
    List<RankView> ranks =
        s.ranks().stream()
            .filter(r -> !InPlace.chosen(s) || generation.orElseThrow().has(r))
            .toList();
    GangProgress progress = GangProgress.of(gang, ranks);
    Optional<String> astray = astray(s, job, progress);
    if (astray.isPresent()) {
      // What it was sent back from is judged anew: it has gone on from there.
      return again(Planning.unpinned(s), job, gang, astray.get(), policy, now);
    }
    if (whole(s, job, gang) && moved(s, job, gang, progress, policy, now)) {
      return recovered(s, job, progress, now);
    }
    Optional<String> broken = broken(s, job, gang, policy, now);
    return broken.isPresent()
        ? again(s, job, gang, broken.get(), policy, now)
        : new Decision.Wait(waitingFor(job, gang), untilTimeTells(s, gang, policy, now));
  }

  /**
   * A script restarted in place has begun before the pinned checkpoint, as it was given none, or
   * from what it was sent back from, although it was; a rebuild gives it one.
   */
  private static Optional<String> astray(RecoverySnapshot s, JobView job, GangProgress progress) {
    Long pinned = resumedStep(s);
    if (!InPlace.chosen(s) || pinned == null || !job.resumeByEnv()) {
      return Optional.empty();
    }
    Optional<RollBack> back = Planning.rollBack(status(s));
    return progress.reports().stream()
        .map(RankView::firstStep)
        .filter(Objects::nonNull)
        .filter(first -> first <= pinned || (back.isPresent() && first > back.get().from()))
        .findFirst()
        .map(
            first ->
                "the script went on from step %d although step %d was pinned"
                    .formatted(first, pinned));
  }

  /**
   * Until the next moment at which time alone decides something. Whatever else may change is
   * reported by a watch, and a reconcile of a gang of thousands is not to be had for nothing.
   */
  private static Duration untilTimeTells(
      RecoverySnapshot s, List<PodView> gang, Policy policy, Instant now) {
    Instant next = now.plus(policy.start().minus(Transitions.inPhase(s, now)));
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

  private static boolean whole(RecoverySnapshot s, JobView job, List<PodView> gang) {
    List<String> excluded = plan(s).excludedNodes();
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
      Policy policy,
      Instant now) {
    Long step = progress.lastStep();
    if (step != null) {
      Long resumed = resumedStep(s);
      return resumed == null || step > resumed;
    }
    // Steps that were never seen cannot be waited for, nor those of a job that has opted out, which
    // agents follow no more; a gang that stays Ready is all there is to see.
    boolean prints = s.printed() || cause(s).lastStep() != null;
    boolean blind = !prints || !(job.optIn() instanceof JobView.OptIn.Yes);
    Instant since = Objects.requireNonNullElse(status(s).phaseSince(), now);
    Instant youngest =
        Stream.concat(Stream.of(since), gang.stream().map(PodView::created))
            .max(Instant::compareTo)
            .orElse(now);
    return blind && !now.isBefore(youngest.plus(policy.readyStable()));
  }

  private static Optional<String> broken(
      RecoverySnapshot s, JobView job, List<PodView> gang, Policy policy, Instant now) {
    if (job.finish() == Finish.FAILED) {
      return Optional.of("the job failed: " + job.finishMessage());
    }
    if (gang.stream().anyMatch(p -> hasFault(s, p))) {
      return Optional.of("a node of the new gang is faulty");
    }
    Optional<PodView> failed =
        gang.stream()
            .filter(p -> p.phase() == PodView.Phase.FAILED && !job.restartsInPlace())
            .findFirst();
    if (failed.isPresent()) {
      return failed.map(p -> "pod %s failed".formatted(p.name()));
    }
    Optional<PodView> silent =
        gang.stream().filter(p -> silentFor(s, p, policy.silentNode(), now)).findFirst();
    if (silent.isPresent()) {
      return silent.map(p -> "node %s does not answer".formatted(p.node()));
    }
    return Transitions.inPhase(s, now).compareTo(policy.start()) > 0
        ? Optional.of(
            "no new step within %d s%s".formatted(policy.start().toSeconds(), homeless(gang)))
        : Optional.empty();
  }

  private static Decision again(
      RecoverySnapshot s, JobView job, List<PodView> gang, String why, Policy policy, Instant now) {
    RecoveryStatus status = status(s);
    String optedOut = job.handsOff();
    if (!optedOut.isEmpty()) {
      return Transitions.end(
          s,
          RecoveryPhase.CANCELLED,
          "%s; attempt %d is not repeated: %s".formatted(optedOut, status.attempt(), why),
          now);
    }
    if (status.attempt() >= policy.maxAttempts()) {
      return Transitions.end(
          s, RecoveryPhase.FAILED, "attempt %d: %s".formatted(status.attempt(), why), now);
    }
    if (s.restarts() >= policy.maxRestarts()) {
      return Transitions.end(
          s,
          RecoveryPhase.FAILED,
          "attempt %d: %s; another restart would pass the budget: %d within %d s, maxRestarts is %d"
              .formatted(
                  status.attempt(),
                  why,
                  s.restarts(),
                  policy.budgetWindow().toSeconds(),
                  policy.maxRestarts()),
          now);
    }
    List<String> silent =
        gang.stream()
            .filter(p -> silentFor(s, p, policy.silentNode(), now))
            .map(PodView::node)
            .distinct()
            .toList();
    RecoveryStatus unchosen = RecoveryStatusBuilder.withRestart(status, null, "");
    RecoveryStatus next =
        unchosen.with(
            b -> b.attempt(status.attempt() + 1).cause(CauseUpdates.addSilent(cause(s), silent)));
    List<Decision.Note> notes = List.of(new Decision.Note(Reason.ATTEMPT_FAILED, why, ""));
    // Nodes that turned out faulty are found, and fenced, on the way.
    return new Decision.Move(
        RecoveryStatusBuilder.enter(next, RecoveryPhase.DRAINING, "try again: " + why, now), notes);
  }

  private static Decision recovered(
      RecoverySnapshot s, JobView job, GangProgress progress, Instant now) {
    RecoveryStatus status = status(s);
    Long resumed = resumedStep(s);
    Long last = cause(s).lastStep();
    Instant trains =
        progress.reports().stream()
            .map(RankView::firstStepTime)
            .filter(Objects::nonNull)
            .min(Instant::compareTo)
            .filter(t -> t.isBefore(now))
            .orElse(now);
    Instant detected = Objects.requireNonNullElse(s.recovery().spec().detectedAt(), now);
    long downMillis = Math.max(0, Duration.between(detected, trains).toMillis());
    double downtime = downMillis / 1000.0;
    Long first =
        progress.reports().stream()
            .map(RankView::firstStep)
            .filter(Objects::nonNull)
            .min(Long::compare)
            .orElse(null);
    Outcome outcome =
        new Outcome(
            resumed,
            first,
            last == null || first == null ? null : Math.max(0, last - first + 1),
            downMillis * job.gpus() / 1000.0,
            downtime,
            RecoveryStatusBuilder.secondsPerPhase(status, now));
    String detail = describe(first, resumed, downtime);
    return new Decision.Move(
        RecoveryStatusBuilder.enter(
            status.withOutcome(outcome), RecoveryPhase.RECOVERED, detail, now),
        List.of(new Decision.Note(Reason.JOB_RECOVERED, detail, "")));
  }

  private static String describe(@Nullable Long first, @Nullable Long resumed, double downtime) {
    String steps =
        first == null
            ? "the gang is whole and Ready; its steps cannot be seen"
            : "trains again from step " + first;
    String pin =
        resumed != null && first != null && first != resumed + 1
            ? " (the pinned checkpoint was of step " + resumed + ")"
            : "";
    return "%s%s, %.1f s after detection".formatted(steps, pin, downtime);
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

  private static boolean silentFor(RecoverySnapshot s, PodView pod, Duration least, Instant now) {
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

  private static @Nullable Long resumedStep(RecoverySnapshot s) {
    RecoveryStatus.PinnedCheckpoint pin = plan(s).checkpoint();
    return pin == null ? null : pin.step();
  }

  private static Plan plan(RecoverySnapshot s) {
    return Objects.requireNonNull(status(s).plan());
  }
}
