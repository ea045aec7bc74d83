package dev.rekindle.controller.verdict;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.controller.cluster.FaultView;
import dev.rekindle.controller.cluster.JobView;
import dev.rekindle.controller.cluster.JobView.Finish;
import dev.rekindle.controller.cluster.JobView.OptIn;
import dev.rekindle.controller.cluster.NodeView;
import dev.rekindle.controller.cluster.PodView;
import dev.rekindle.controller.cluster.Policy;
import dev.rekindle.controller.cluster.RecoveryView;
import dev.rekindle.controller.journal.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Does a job need a recovery? Signs are looked at from the surest to the weakest:
 *
 * <ol>
 *   <li>a hardware fault that fences, on a node that carries a pod of the job;
 *   <li>a pod that ended for good: the kubelet will not bring it back, and its peers cannot go on
 *       without it;
 *   <li>a node that is gone, or silent while the steps of the whole gang stand still;
 *   <li>containers that ended and that the kubelet restarts: left to it, unless steps do not come
 *       back in time;
 *   <li>all pods run and steps stand still: a stall, for which nobody is fenced.
 * </ol>
 *
 * Guarantees: a job that did not opt in, that its user suspended, or that has an open recovery is
 * left alone; no fault on a node is inferred from a stall or an exit code; a job never gets more
 * restarts than its budget.
 */
public final class JobVerdicts {
  private static final int MAX_EVIDENCE = 8;

  /**
   * How the training operator words an end that the user asked for by a limit: not ours to undo.
   */
  private static final List<String> USER_LIMITS =
      List.of("backoff limit", "active longer than specified deadline");

  private JobVerdicts() {}

  /** Decides. Pure: the same snapshot, policy and time give the same verdict. */
  public static Verdict decide(JobSnapshot s, Policy policy, Instant now) {
    return switch (s.job().optIn()) {
      case OptIn.No _ -> new Verdict.Leave("did not opt in");
      case OptIn.Unusable(String reason) -> new Verdict.Refuse(Reason.INVALID_ANNOTATION, reason);
      case OptIn.Yes(JobView.Mode mode) ->
          decideOptedIn(s, policy, lower(mode, policy.mode()), now);
    };
  }

  private static Verdict decideOptedIn(
      JobSnapshot s, Policy policy, JobView.Mode mode, Instant now) {
    JobView job = s.job();
    if (job.finish() == Finish.SUCCEEDED) {
      return new Verdict.Leave("succeeded");
    }
    if (s.recoveries().stream().anyMatch(RecoveryView::open)) {
      return new Verdict.Leave("a recovery is open");
    }
    if (job.suspended() && job.suspendedBy().isEmpty()) {
      return new Verdict.Leave("suspended by its user");
    }
    Verdict raw = job.suspended() ? orphaned(s) : trouble(s, policy, now);
    if (!(raw instanceof Verdict.Recover(Cause cause, _))) {
      return raw;
    }
    if (!job.notOurs().isEmpty()) {
      return new Verdict.Refuse(Reason.NOT_OURS, job.notOurs());
    }
    // An orphan has spent its restart already; refusing it would leave it suspended for ever.
    int spent =
        job.suspended() ? 0 : restartsSince(s.recoveries(), now.minus(policy.budgetWindow()));
    if (spent >= policy.maxRestarts()) {
      return new Verdict.Refuse(
          Reason.BUDGET_EXHAUSTED,
          "%s, but %d restarts within %s are all that the policy allows"
              .formatted(cause.message(), spent, policy.budgetWindow()));
    }
    if (mode == JobView.Mode.OBSERVE && !job.suspended()) {
      return new Verdict.Refuse(Reason.WOULD_RECOVER, cause.message());
    }
    return new Verdict.Recover(cause, mode);
  }

  /** Suspended by a recovery that no longer exists or is over: somebody deleted it. */
  private static Verdict orphaned(JobSnapshot s) {
    String message =
        "recovery %s suspended the job and is no longer there to resume it"
            .formatted(s.job().suspendedBy());
    return recover(cause("Orphaned", message, List.of(), List.of(), List.of(), List.of(), s));
  }

  private static Verdict trouble(JobSnapshot s, Policy policy, Instant now) {
    return hardwareFault(s)
        .or(() -> endedForGood(s, policy, now))
        .or(() -> lostNode(s, policy, now))
        .or(() -> cannotStart(s))
        .or(() -> containersEnded(s, policy, now))
        .or(() -> stalled(s, policy, now))
        .orElseGet(() -> new Verdict.Leave("healthy"));
  }

  private static Optional<Verdict> hardwareFault(JobSnapshot s) {
    List<String> nodes = s.pods().stream().map(PodView::node).filter(n -> !n.isEmpty()).toList();
    if (s.job().finish() == Finish.FAILED && userLimit(s.job())) {
      return Optional.empty();
    }
    List<FaultView> faults =
        s.faults().stream()
            .filter(f -> f.fences() && nodes.contains(f.node()))
            .sorted(Comparator.comparing(FaultView::node).thenComparing(FaultView::code))
            .toList();
    if (faults.isEmpty()) {
      return Optional.empty();
    }
    FaultView worst = faults.getFirst();
    String message = "%s on %s of node %s".formatted(worst.code(), worst.component(), worst.node());
    List<String> evidence = faults.stream().map(f -> f.node() + ": " + f.evidence()).toList();
    List<String> faulty = faults.stream().map(FaultView::node).distinct().toList();
    List<String> pods = names(s.pods().stream().filter(p -> faulty.contains(p.node())));
    return Optional.of(recover(cause(worst.code(), message, evidence, faulty, List.of(), pods, s)));
  }

  private static Optional<Verdict> endedForGood(JobSnapshot s, Policy policy, Instant now) {
    JobView job = s.job();
    List<PodView> failed =
        s.pods().stream().filter(p -> p.phase() == PodView.Phase.FAILED).toList();
    if (job.finish() == Finish.FAILED) {
      if (userLimit(job)) {
        return leave("failed by a limit of its user: " + job.finishMessage());
      }
      Instant at = job.finishedAt();
      if (at != null && Duration.between(at, now).compareTo(policy.failedJob()) > 0) {
        return leave("failed too long ago");
      }
      return Optional.of(recover(failureCause("JobFailed", job.finishMessage(), failed, s)));
    }
    if (failed.isEmpty()) {
      return Optional.empty();
    }
    if (!job.restartsInPlace()) {
      return Optional.of(recover(failureCause("PodFailed", "", failed, s)));
    }
    // The operator re-creates the pod by itself; the gang may come back without us.
    return waitForSteps(s, policy, now, failureCause("PodFailed", "", failed, s));
  }

  private static Optional<Verdict> lostNode(JobSnapshot s, Policy policy, Instant now) {
    List<PodView> bound = s.pods().stream().filter(p -> p.live() && !p.node().isEmpty()).toList();
    List<String> gone = nodes(bound, p -> !s.nodes().containsKey(p.node()));
    if (!gone.isEmpty()) {
      String message = "node %s no longer exists".formatted(String.join(", ", gone));
      List<String> pods = names(bound.stream().filter(p -> gone.contains(p.node())));
      return Optional.of(recover(cause("NodeGone", message, List.of(), List.of(), gone, pods, s)));
    }
    List<String> silent = nodes(bound, p -> silent(s.nodes().get(p.node())));
    if (silent.isEmpty()) {
      return Optional.empty();
    }
    GangProgress progress = GangProgress.of(s.pods(), s.ranks());
    String where = String.join(", ", silent);
    if (!progress.seen()) {
      return leave(
          "node "
              + where
              + " is silent, but no step was ever seen: nobody can say that training stands");
    }
    if (!progress.witnessedOutside(silent, now)) {
      return Optional.of(
          new Verdict.Watch(
              "node "
                  + where
                  + " is silent and no agent elsewhere reports: no witness that training stands",
              now.plus(policy.silentNode())));
    }
    Instant due = Objects.requireNonNull(progress.lastStepTime()).plus(policy.silentNode());
    if (now.isBefore(due)) {
      return Optional.of(new Verdict.Watch("node " + where + " is silent", due));
    }
    String message =
        "node %s is silent and the steps of the gang stand at %d for %d s"
            .formatted(where, progress.lastStep(), progress.standing(now).toSeconds());
    List<String> pods = names(bound.stream().filter(p -> silent.contains(p.node())));
    return Optional.of(
        recover(cause("NodeSilent", message, List.of(), List.of(), silent, pods, s)));
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

  private static Optional<Verdict> containersEnded(JobSnapshot s, Policy policy, Instant now) {
    GangProgress progress = GangProgress.of(s.pods(), s.ranks());
    Instant last = progress.lastStepTime();
    // Kubernetes keeps the end of a container in whole seconds, cut off: within that second the end
    // may be the later one.
    List<PodView> ended =
        s.pods().stream()
            .filter(p -> p.lastExit() != null)
            .filter(
                p ->
                    last == null
                        || Objects.requireNonNull(p.lastExit()).plusSeconds(1).isAfter(last))
            .toList();
    return ended.isEmpty()
        ? Optional.empty()
        : waitForSteps(s, policy, now, failureCause("ContainerEnded", "", ended, s));
  }

  /**
   * The kubelet (or the operator) is at it: only when steps do not come back in time is it ours.
   */
  private static Optional<Verdict> waitForSteps(
      JobSnapshot s, Policy policy, Instant now, Cause cause) {
    GangProgress progress = GangProgress.of(s.pods(), s.ranks());
    Instant since =
        Stream.concat(
                Stream.ofNullable(progress.lastStepTime()), s.pods().stream().map(PodView::created))
            .max(Instant::compareTo)
            .orElse(now);
    Instant due = since.plus(policy.inPlace());
    return Optional.of(
        now.isBefore(due)
            ? new Verdict.Watch("containers ended; the kubelet restarts them", due)
            : recover(cause));
  }

  private static Optional<Verdict> stalled(JobSnapshot s, Policy policy, Instant now) {
    List<PodView> pods = s.pods();
    boolean allRun =
        pods.size() == s.job().gangSize()
            && pods.stream().allMatch(p -> p.phase() == PodView.Phase.RUNNING && !p.terminating());
    GangProgress progress = GangProgress.of(pods, s.ranks());
    if (!allRun || !progress.seen()) {
      return Optional.empty();
    }
    Duration timeout = Objects.requireNonNullElse(s.job().stallTimeout(), policy.stall());
    Instant due = Objects.requireNonNull(progress.lastStepTime()).plus(timeout);
    if (now.isBefore(due)) {
      return Optional.of(new Verdict.Watch("trains", due));
    }
    if (!progress.witnessedOutside(List.of(), now)) {
      return Optional.of(
          new Verdict.Watch(
              "no agent reports: nobody can say that training stands", now.plus(timeout)));
    }
    String message =
        "all %d pods run and their steps stand at %d for %d s"
            .formatted(pods.size(), progress.lastStep(), progress.standing(now).toSeconds());
    return Optional.of(
        recover(
            cause("Stalled", message, List.of(), List.of(), List.of(), progress.laggards(), s)));
  }

  private static Cause failureCause(
      String reason, String jobMessage, List<PodView> pods, JobSnapshot s) {
    List<PodView> byTime =
        pods.stream()
            .sorted(
                Comparator.comparing(
                        (PodView p) -> Objects.requireNonNullElse(p.lastExit(), p.created()))
                    .thenComparing(PodView::name))
            .toList();
    List<String> evidence = byTime.stream().map(JobVerdicts::describe).toList();
    String message = evidence.isEmpty() ? jobMessage : "first to fail: " + evidence.getFirst();
    return cause(reason, message, evidence, List.of(), List.of(), names(byTime.stream()), s);
  }

  private static String describe(PodView pod) {
    PodView.Failure failure = pod.failure();
    String what = failure == null ? "a container ended" : failure.message();
    return "pod %s on node %s: %s".formatted(pod.name(), pod.node(), what);
  }

  private static Cause cause(
      String reason,
      String message,
      List<String> evidence,
      List<String> faultyNodes,
      List<String> silentNodes,
      List<String> suspects,
      JobSnapshot s) {
    return new Cause(
        reason,
        message,
        evidence.stream().limit(MAX_EVIDENCE).map(JobVerdicts::bounded).toList(),
        faultyNodes,
        silentNodes,
        suspects,
        GangProgress.of(s.pods(), s.ranks()).lastStep());
  }

  private static String bounded(String text) {
    return text.length() <= 1024 ? text : text.substring(0, 1021) + "...";
  }

  private static Verdict recover(Cause cause) {
    return new Verdict.Recover(cause, JobView.Mode.AUTO);
  }

  private static Optional<Verdict> leave(String why) {
    return Optional.of(new Verdict.Leave(why));
  }

  private static boolean userLimit(JobView job) {
    return USER_LIMITS.stream().anyMatch(job.finishMessage()::contains);
  }

  private static boolean silent(@org.jspecify.annotations.Nullable NodeView node) {
    return node != null && node.readiness() == NodeView.Readiness.SILENT;
  }

  private static List<String> nodes(Collection<PodView> pods, Predicate<PodView> which) {
    return pods.stream().filter(which).map(PodView::node).distinct().sorted().toList();
  }

  private static List<String> names(Stream<PodView> pods) {
    return pods.map(PodView::name).distinct().limit(64).toList();
  }

  private static JobView.Mode lower(JobView.Mode a, JobView.Mode b) {
    return a.compareTo(b) <= 0 ? a : b;
  }

  /**
   * Restarts begun since a moment: every attempt of every recovery that came as far as suspending
   * the job.
   */
  static int restartsSince(List<RecoveryView> recoveries, Instant since) {
    int count = 0;
    for (RecoveryView r : recoveries) {
      RecoveryStatus status = r.status();
      Instant at = r.spec().detectedAt();
      if (at == null || at.isBefore(since) || status == null) {
        continue;
      }
      boolean touched =
          new ArrayList<>(status.timeline())
              .stream().anyMatch(e -> e.phase() == RecoveryPhase.DRAINING);
      count += touched ? Math.max(1, status.attempt()) : 0;
    }
    return count;
  }
}
