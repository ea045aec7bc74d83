package dev.rekindle.controller.verdict;

import dev.rekindle.api.RankReportStatus.RestartAsked;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.TimelineEntry;
import dev.rekindle.controller.cluster.FaultView;
import dev.rekindle.controller.cluster.JobView;
import dev.rekindle.controller.cluster.JobView.Finish;
import dev.rekindle.controller.cluster.JobView.OptIn;
import dev.rekindle.controller.cluster.NodeView;
import dev.rekindle.controller.cluster.PodView;
import dev.rekindle.controller.cluster.Policy;
import dev.rekindle.controller.cluster.RankView;
import dev.rekindle.controller.cluster.RecoveryView;
import dev.rekindle.controller.journal.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Does a job need a recovery? Signs are looked at from the surest to the weakest:
 *
 * <ol>
 *   <li>a hardware fault that fences, on a node that carries a pod of the job, unless it is of a
 *       GPU that is known to be none of the job's;
 *   <li>a pod that ended for good: the kubelet will not bring it back, and its peers cannot go on
 *       without it;
 *   <li>a node that is gone, or silent while the steps of the whole gang stand still;
 *   <li>a rank whose script asks for a restart of the gang;
 *   <li>containers that ended and that the kubelet restarts: left to it, unless steps do not come
 *       back in time;
 *   <li>a gang that we resumed and that has found no place for too long: where it may go is judged
 *       anew;
 *   <li>all pods run and steps stand still: a stall, for which nobody is fenced.
 * </ol>
 *
 * Guarantees: a job that did not opt in, that its user suspended, or that has an open recovery is
 * left alone; no fault on a node is inferred from a stall or an exit code; a job never gets more
 * restarts than its budget.
 */
public final class JobVerdicts {
  /** No watch is believed to lag for longer. */
  private static final Duration LAGS = Duration.ofSeconds(60);

  /**
   * How the training operator words an end that the user asked for by a limit: not ours to undo.
   */
  private static final List<String> USER_LIMITS =
      List.of("backoff limit", "active longer than specified deadline");

  /** A job that failed longer ago is history: a controller that starts does not tell it again. */
  private static final Duration NEWS = Duration.ofDays(1);

  /** Until a job that failed too long ago by this clock is looked at again. */
  private static final Duration AGAIN = Duration.ofMinutes(1);

  /** A script that has asked for a restart may have trained on since: it is not undone later. */
  private static final Duration ASKED = Duration.ofMinutes(5);

  private static final Comparator<PodView> BY_AGE =
      Comparator.comparing(PodView::created).thenComparing(PodView::name);

  private JobVerdicts() {}

  /** Decides. Pure: the same snapshot, policy and time give the same verdict. */
  public static Verdict decide(JobSnapshot s, Policy policy, Instant now) {
    if (s.job().suspended() && !s.job().suspendedBy().isEmpty()) {
      // What was suspended in our name is let go, whatever its owner wants by now.
      return decideOptedIn(s, policy, policy.mode(), now);
    }
    return switch (s.job().optIn()) {
      case OptIn.No _ -> new Verdict.Leave("did not opt in");
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
      return new Verdict.Leave("succeeded");
    }
    if (s.recoveries().stream().anyMatch(RecoveryView::open)) {
      return new Verdict.Leave("a recovery is open");
    }
    if (job.suspended() && job.suspendedBy().isEmpty()) {
      return new Verdict.Leave("suspended by its user");
    }
    Verdict raw = job.suspended() ? orphaned(s, now) : trouble(s, policy, now);
    if (raw instanceof Verdict.Refuse(Reason reason, _)
        && reason == Reason.FAILED_TOO_LONG_AGO
        && (mode == JobView.Mode.OBSERVE || !job.notOurs().isEmpty())) {
      return new Verdict.Leave("would not have been revived in time either");
    }
    if (raw instanceof Verdict.CameBack
        && (mode == JobView.Mode.OBSERVE || !job.notOurs().isEmpty())) {
      return new Verdict.Leave("came back by itself");
    }
    if (!(raw instanceof Verdict.Recover(Cause cause, _))) {
      return raw;
    }
    // Whoever has suspended it brings it back, whoever answers for it by now.
    if (!job.notOurs().isEmpty() && !job.suspended()) {
      return new Verdict.Refuse(Reason.NOT_OURS, job.notOurs());
    }
    // An orphan has spent its restart already; refusing it would leave it suspended for ever.
    int spent =
        job.suspended() ? 0 : Restarts.since(s.recoveries(), now.minus(policy.budgetWindow()));
    if (spent >= policy.maxRestarts()) {
      return new Verdict.Refuse(
          Reason.BUDGET_EXHAUSTED,
          "%s, but %d restarts within %s are all that the policy allows"
              .formatted(cause.message(), spent, policy.budgetWindow()));
    }
    if (mode == JobView.Mode.OBSERVE && !job.suspended()) {
      return new Verdict.Refuse(Reason.WOULD_RECOVER, cause.message());
    }
    return new Verdict.Recover(rollBack(cause, s, now), mode);
  }

  /** Whatever the recovery is for, what a script asks for is done with it. */
  private static Cause rollBack(Cause cause, JobSnapshot s, Instant now) {
    Long before =
        asking(s, now)
            .map(r -> Objects.requireNonNull(r.asked()).beforeStep())
            .filter(Objects::nonNull)
            .min(Long::compare)
            .orElse(null);
    return before == null ? cause : cause.withBeforeStep(before);
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
        Causes.of("Orphaned", message, List.of(), List.of(), List.of(), List.of(), s));
  }

  private static Verdict trouble(JobSnapshot s, Policy policy, Instant now) {
    return hardwareFault(s)
        .or(() -> endedForGood(s, policy, now))
        .or(() -> lostNode(s, policy, now))
        .or(() -> cannotStart(s))
        .or(() -> asked(s, now))
        .or(() -> ContainerEnds.containersEnded(s, policy, now))
        .or(() -> unplaced(s, policy, now))
        .or(() -> ContainerEnds.cameBack(s, policy, now))
        .or(() -> stalled(s, policy, now))
        .orElseGet(() -> new Verdict.Leave("healthy"));
  }

  private static Optional<Verdict> hardwareFault(JobSnapshot s) {
    List<String> nodes = s.pods().stream().map(PodView::node).filter(n -> !n.isEmpty()).toList();
    if (s.job().finish() == Finish.FAILED && userLimit(s.job())) {
      return Optional.empty();
    }
    List<FaultView> faults =
        DeviceOwners.concerning(s.pods(), s.faults()).stream()
            .filter(f -> f.fences() && nodes.contains(f.node()))
            .sorted(Comparator.comparing(FaultView::node).thenComparing(FaultView::code))
            .toList();
    if (faults.isEmpty()) {
      return Optional.empty();
    }
    FaultView worst = faults.getFirst();
    String message =
        "%s on %s of node %s%s"
            .formatted(worst.code(), worst.component(), worst.node(), sureness(worst));
    List<String> evidence = faults.stream().map(f -> f.node() + ": " + f.evidence()).toList();
    List<String> faulty = faults.stream().map(FaultView::node).distinct().toList();
    List<String> pods = Causes.names(s.pods().stream().filter(p -> faulty.contains(p.node())));
    return Optional.of(
        Causes.recover(Causes.of(worst.code(), message, evidence, faulty, List.of(), pods, s)));
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
        return Optional.of(tooLate(s, policy, at, now));
      }
      return Optional.of(
          Causes.recover(Causes.ofFailure("JobFailed", job.finishMessage(), failed, s)));
    }
    if (failed.isEmpty()) {
      return Optional.empty();
    }
    if (!job.restartsInPlace()) {
      return Optional.of(Causes.recover(Causes.ofFailure("PodFailed", "", failed, s)));
    }
    // The operator re-creates the pod by itself; the gang may come back without us.
    return ContainerEnds.waitForSteps(s, policy, now, Causes.ofFailure("PodFailed", "", failed, s));
  }

  /**
   * Nobody looked in time: no controller led, or the API server was away. It is told while it is
   * news, unless a recovery was at the job since.
   */
  private static Verdict tooLate(JobSnapshot s, Policy policy, Instant at, Instant now) {
    Duration ago = Duration.between(at, now);
    boolean lookedAt =
        s.recoveries().stream()
            .map(RecoveryView::status)
            .filter(Objects::nonNull)
            .map(RecoveryStatus::phaseSince)
            .anyMatch(since -> since != null && !since.isBefore(at));
    if (ago.compareTo(policy.failedJob().plus(NEWS)) > 0) {
      return new Verdict.Leave("failed too long ago");
    }
    return lookedAt
        // By a clock that is ahead; nothing else of the job changes when it is set right.
        ? new Verdict.Watch("failed too long ago", now.plus(AGAIN))
        : new Verdict.Refuse(
            Reason.FAILED_TOO_LONG_AGO,
            "the job failed %d s ago; after %d s nothing is revived: %s"
                .formatted(
                    ago.toSeconds(), policy.failedJob().toSeconds(), s.job().finishMessage()));
  }

  private static Optional<Verdict> lostNode(JobSnapshot s, Policy policy, Instant now) {
    List<PodView> bound = s.pods().stream().filter(p -> p.live() && !p.node().isEmpty()).toList();
    List<String> gone = nodes(bound, p -> !s.nodes().containsKey(p.node()));
    if (!gone.isEmpty()) {
      return Optional.of(nodeGone(s, bound, gone, policy, now));
    }
    List<String> silent = nodes(bound, p -> silent(s.nodes().get(p.node())));
    if (silent.isEmpty()) {
      return Optional.empty();
    }
    GangProgress progress = GangProgress.of(s.pods(), s.ranks());
    String where = String.join(", ", silent);
    if (!progress.seen()) {
      // A gang that is not whole does not train, whatever the silent node does.
      List<String> there = Causes.names(bound.stream().filter(p -> silent.contains(p.node())));
      return unplaced(s, policy, now)
          .or(() -> neverBegan(s, progress, policy, now))
          .map(verdict -> blamed(verdict, silent, there, s))
          .or(
              () ->
                  leave(
                      "node "
                          + where
                          + " is silent, but no step was ever seen: nobody can say that training"
                          + " stands"));
    }
    Optional<Duration> seen = progress.standingOutside(silent, now);
    Optional<Duration> standing = seen.or(() -> progress.unheardOutside(silent, now));
    if (standing.isEmpty()) {
      return Optional.of(
          new Verdict.Watch(
              "node "
                  + where
                  + " is silent and no agent elsewhere reports: no witness that training stands",
              now.plus(policy.silentNode())));
    }
    Duration enough = seen.isPresent() ? policy.silentNode() : stallTimeout(s, policy);
    Duration left = enough.minus(standing.get());
    if (left.isPositive()) {
      return Optional.of(new Verdict.Watch("node " + where + " is silent", now.plus(left)));
    }
    String message =
        "node %s is silent and the steps of the gang stand at %d for %d s"
            .formatted(where, progress.lastStep(), standing.get().toSeconds());
    List<String> pods = Causes.names(bound.stream().filter(p -> silent.contains(p.node())));
    return Optional.of(
        Causes.recover(Causes.of("NodeSilent", message, List.of(), List.of(), silent, pods, s)));
  }

  /**
   * A Node is deleted, and its pods are not yet: where it is only registered anew, what runs there
   * trains on, and its pods stay.
   */
  private static Verdict nodeGone(
      JobSnapshot s, List<PodView> bound, List<String> gone, Policy policy, Instant now) {
    String message = "node %s no longer exists".formatted(String.join(", ", gone));
    GangProgress progress = GangProgress.of(s.pods(), s.ranks());
    if (progress.seen()) {
      Optional<Duration> standing = progress.standingOutside(List.of(), now);
      Duration left = policy.silentNode().minus(standing.orElse(Duration.ZERO));
      if (left.isPositive()) {
        return new Verdict.Watch(
            message
                + (standing.isPresent()
                    ? ", and training goes on so far"
                    : ", and no agent reports: no witness that training stands"),
            now.plus(left));
      }
    }
    List<String> pods = Causes.names(bound.stream().filter(p -> gone.contains(p.node())));
    return Causes.recover(Causes.of("NodeGone", message, List.of(), List.of(), gone, pods, s));
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

  private static Optional<Verdict> asked(JobSnapshot s, Instant now) {
    List<RankView> asking = asking(s, now).toList();
    if (asking.isEmpty()) {
      return Optional.empty();
    }
    List<String> evidence = asking.stream().map(JobVerdicts::request).toList();
    String message = evidence.getFirst();
    return Optional.of(
        Causes.recover(
            Causes.of(
                "RestartAsked",
                Causes.bounded(message),
                evidence,
                List.of(),
                List.of(),
                asking.stream().map(RankView::pod).distinct().limit(64).toList(),
                s)));
  }

  private static String request(RankView rank) {
    RestartAsked asked = Objects.requireNonNull(rank.asked());
    return "pod %s on node %s asks for a restart%s: %s"
        .formatted(
            rank.pod(),
            rank.node(),
            asked.beforeStep() == null ? "" : " from before step " + asked.beforeStep(),
            asked.reason());
  }

  /** Ranks whose scripts ask for a restart that they have not got yet, the first to ask first. */
  private static Stream<RankView> asking(JobSnapshot s, Instant now) {
    Map<String, PodView> pods =
        s.pods().stream().collect(Collectors.toMap(PodView::uid, Function.identity()));
    return s.ranks().stream()
        .filter(r -> r.asked() != null && pods.containsKey(r.podUid()))
        .filter(r -> isStanding(r, Objects.requireNonNull(pods.get(r.podUid())), s, now))
        .sorted(
            Comparator.comparing((RankView r) -> Objects.requireNonNull(r.asked()).time())
                .thenComparing(RankView::pod));
  }

  private static boolean isStanding(RankView rank, PodView pod, JobSnapshot s, Instant now) {
    Instant at = Objects.requireNonNull(rank.asked()).time();
    Instant exit = pod.lastExit();
    // By the clock of one node: the container that asked is no more, and its agent has yet to see.
    boolean gone =
        exit != null && exit.plusSeconds(1).isAfter(at) && pod.restarts() > rank.restartCount();
    return !gone
        && Duration.between(at, now).compareTo(ASKED) <= 0
        && s.recoveries().stream()
            .map(RecoveryView::status)
            .filter(Objects::nonNull)
            .map(JobVerdicts::restarted)
            .noneMatch(restarted -> restarted != null && !restarted.isBefore(at));
  }

  /** When a recovery last started the gang anew, or ended without. */
  private static @Nullable Instant restarted(RecoveryStatus status) {
    return status.timeline().stream()
        .filter(entry -> entry.phase() == RecoveryPhase.RESUMING)
        .map(TimelineEntry::time)
        .max(Instant::compareTo)
        .orElse(status.phaseSince());
  }

  private static boolean sawSteps(RecoveryStatus status) {
    return (status.cause() != null && status.cause().lastStep() != null)
        || (status.outcome() != null && status.outcome().firstStepAfter() != null);
  }

  /** What never began while a node was silent did not begin because of it. */
  private static Verdict blamed(
      Verdict verdict, List<String> silent, List<String> pods, JobSnapshot s) {
    if (!(verdict instanceof Verdict.Recover(Cause cause, _))
        || !cause.reason().equals("Stalled")) {
      return verdict;
    }
    String message =
        "node %s is silent and the gang has made no step".formatted(String.join(", ", silent));
    return Causes.recover(Causes.of("NodeSilent", message, List.of(), List.of(), silent, pods, s));
  }

  private static Duration stallTimeout(JobSnapshot s, Policy policy) {
    return Objects.requireNonNullElse(s.job().stallTimeout(), policy.stall());
  }

  /**
   * Our last plan may be what keeps the pods homeless: nodes that it excluded may be fit by now. A
   * job that was never ours waits for its first place, and that is the scheduler's business.
   */
  private static Optional<Verdict> unplaced(JobSnapshot s, Policy policy, Instant now) {
    if (s.job().attempt().isEmpty()) {
      return Optional.empty();
    }
    List<PodView> homeless =
        s.pods().stream().filter(JobVerdicts::findsNoPlace).sorted(BY_AGE).toList();
    if (homeless.isEmpty()) {
      return Optional.empty();
    }
    PodView oldest = homeless.getFirst();
    Instant due = oldest.created().plus(policy.start());
    if (now.isBefore(due)) {
      return Optional.of(new Verdict.Watch("pods find no place", due));
    }
    String message =
        "%d of %d pods found no place within %d s: %s"
            .formatted(
                homeless.size(),
                s.job().gangSize(),
                policy.start().toSeconds(),
                Objects.requireNonNull(oldest.failure()).message());
    List<String> pods = Causes.names(homeless.stream());
    return Optional.of(
        Causes.recover(Causes.of("Unplaced", message, List.of(), List.of(), List.of(), pods, s)));
  }

  private static boolean findsNoPlace(PodView pod) {
    return pod.phase() == PodView.Phase.PENDING
        && !pod.terminating()
        && pod.failure() != null
        && pod.failure().kind().equals("Unschedulable");
  }

  /**
   * A gang whose containers all run and that has made no step yet. Only of a job that printed steps
   * before is it known that it would print them.
   */
  private static Optional<Verdict> neverBegan(
      JobSnapshot s, GangProgress progress, Policy policy, Instant now) {
    boolean prints =
        s.recoveries().stream()
            .map(RecoveryView::status)
            .filter(Objects::nonNull)
            .anyMatch(JobVerdicts::sawSteps);
    if (!prints) {
      return Optional.empty();
    }
    Instant youngest =
        s.pods().stream()
            .flatMap(
                p -> Stream.of(p.created(), Objects.requireNonNullElse(p.lastExit(), p.created())))
            .max(Instant::compareTo)
            .orElse(now);
    Instant due = youngest.plus(policy.start());
    if (now.isBefore(due) || !progress.lookedSince(due)) {
      Instant again = now.isBefore(due) ? due : now.plus(policy.silentNode());
      return Optional.of(new Verdict.Watch("has made no step yet", again));
    }
    String message =
        "all %d pods run and made no step for %d s"
            .formatted(s.pods().size(), Duration.between(youngest, now).toSeconds());
    return Optional.of(
        Causes.recover(
            Causes.of("Stalled", message, List.of(), List.of(), List.of(), List.of(), s)));
  }

  private static Optional<Verdict> stalled(JobSnapshot s, Policy policy, Instant now) {
    List<PodView> pods = s.pods();
    boolean allRun =
        pods.size() == s.job().gangSize()
            && pods.stream().allMatch(p -> p.phase() == PodView.Phase.RUNNING && !p.terminating());
    GangProgress progress = GangProgress.of(pods, s.ranks());
    if (!allRun) {
      return Optional.empty();
    }
    if (!progress.seen()) {
      return neverBegan(s, progress, policy, now);
    }
    Duration timeout = stallTimeout(s, policy);
    Optional<Duration> standing = progress.standingOutside(List.of(), now);
    if (standing.isEmpty()) {
      return Optional.of(
          new Verdict.Watch(
              "no agent reports: nobody can say that training stands", now.plus(timeout)));
    }
    Duration left = timeout.minus(standing.get());
    if (left.isPositive()) {
      return Optional.of(new Verdict.Watch("trains", now.plus(left)));
    }
    String message =
        "all %d pods run and their steps stand at %d for %d s"
            .formatted(pods.size(), progress.lastStep(), standing.get().toSeconds());
    return Optional.of(
        Causes.recover(
            Causes.of(
                "Stalled", message, List.of(), List.of(), List.of(), progress.laggards(), s)));
  }

  private static String sureness(FaultView fault) {
    FaultView.Weight weight = fault.weight();
    return weight == null
        ? ""
        : " (%s; confidence %s: %s)"
            .formatted(
                weight.reason(),
                weight.confidence().name().toLowerCase(Locale.ROOT),
                String.join(", ", weight.witnesses()));
  }

  private static Optional<Verdict> leave(String why) {
    return Optional.of(new Verdict.Leave(why));
  }

  private static boolean userLimit(JobView job) {
    return USER_LIMITS.stream().anyMatch(job.finishMessage()::contains);
  }

  private static boolean silent(@Nullable NodeView node) {
    return node != null && node.readiness() == NodeView.Readiness.SILENT;
  }

  private static List<String> nodes(Collection<PodView> pods, Predicate<PodView> which) {
    return pods.stream().filter(which).map(PodView::node).distinct().sorted().toList();
  }

  private static JobView.Mode lower(JobView.Mode a, JobView.Mode b) {
    return a.compareTo(b) <= 0 ? a : b;
  }
}
