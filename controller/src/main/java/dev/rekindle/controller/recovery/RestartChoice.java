package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.recovery.Transitions.cause;
import static dev.rekindle.controller.recovery.Transitions.status;

import dev.rekindle.api.RestartWay;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.JobView.ResumeInjection;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.QueuedJob;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.RestartMode;
import dev.rekindle.controller.placement.Exclusions;
import dev.rekindle.controller.placement.Replacements;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * In place or rebuild. In place keeps every healthy pod and takes seconds whatever the size of the
 * gang; it needs agents that answer on all of its nodes and kubelets that start containers again. A
 * rebuild needs neither and pays the operator's rate for every pod.
 */
final class RestartChoice {

  /** An agent that has not reported for so long may not be there. */
  private static final Duration HEARD = Duration.ofSeconds(30);

  /**
   * Crash-loop back-off of the kubelet (1.34): none for the first restart, then ten seconds that
   * double up to five minutes, forgotten ten minutes after the last one.
   */
  private static final Duration FIRST_BACKOFF = Duration.ofSeconds(10);

  private static final Duration LONGEST_BACKOFF = Duration.ofMinutes(5);
  private static final Duration FORGOTTEN = Duration.ofMinutes(10);

  /** Freeze, kill and start of a container, measured on the testbed. */
  private static final Duration IN_PLACE_TAKES = Duration.ofSeconds(2);

  /** Suspension, drain and start of a gang of few pods, beyond the pods' grace period. */
  private static final Duration REBUILD_TAKES = Duration.ofSeconds(3);

  /**
   * What the training operator takes to delete and create a pod and its Service at its default rate
   * (115 s for 1,024 pods, where we delete the pods ourselves).
   */
  private static final Duration REBUILD_EACH = Duration.ofMillis(110);

  /**
   * What was chosen.
   *
   * @param way how
   * @param reason why, for people
   */
  record Choice(RestartWay way, String reason) {}

  private RestartChoice() {}

  static Choice choose(RecoverySnapshot s, JobView job, Policy policy, Instant now) {
    RestartMode mode = Objects.requireNonNullElse(job.restart(), policy.restart());
    if (mode == RestartMode.REBUILD) {
      String who = job.restart() == null ? "the policy" : "the job";
      return new Choice(RestartWay.REBUILD, who + " asks for it");
    }
    Optional<String> obstacle = obstacle(s, job, policy, now);
    if (obstacle.isPresent()) {
      return new Choice(RestartWay.REBUILD, obstacle.get());
    }
    List<PodView> survivors = survivors(s);
    Duration backoff =
        survivors.stream().map(p -> backoff(p, now)).max(Duration::compareTo).orElse(Duration.ZERO);
    Duration inPlace = backoff.plus(IN_PLACE_TAKES);
    Duration rebuild = rebuildTakes(job, survivors, policy);
    if (mode == RestartMode.AUTO && inPlace.compareTo(rebuild) > 0) {
      return new Choice(
          RestartWay.REBUILD,
          ("containers ended lately and their kubelets would wait %d s before the next start;"
                  + " a rebuild of %d pods takes about %d s")
              .formatted(backoff.toSeconds(), job.gangSize(), rebuild.toSeconds()));
    }
    return new Choice(RestartWay.IN_PLACE, inPlace(survivors.size(), job));
  }

  /** Why in place: that many of the gang's pods stay. */
  static String inPlace(long staying, JobView job) {
    return "%d of %d pods stay where they are".formatted(staying, job.gangSize());
  }

  private static Optional<String> obstacle(
      RecoverySnapshot s, JobView job, Policy policy, Instant now) {
    return Stream.<java.util.function.Supplier<Optional<String>>>of(
            () -> ofJob(s, job),
            () -> ofGang(s, job),
            () -> ofNodes(s, job, now),
            () -> outlived(s),
            () -> ofPlaces(s, job, policy))
        .map(java.util.function.Supplier::get)
        .flatMap(Optional::stream)
        .findFirst();
  }

  private static Optional<String> ofJob(RecoverySnapshot s, JobView job) {
    if (status(s).attempt() > 1) {
      return Optional.of(
          "attempt %d: the one before did not come up".formatted(status(s).attempt()));
    }
    if (job.suspended()) {
      return Optional.of("the job is suspended");
    }
    if (job.finish() == Finish.FAILED) {
      return Optional.of("the operator has failed the job");
    }
    if (job.resumeByEnv()
        && job.injection() == ResumeInjection.BY_VALUE
        && !job.attempt().isEmpty()) {
      // An unchanged script would begin there again, whatever it has saved since.
      return Optional.of("its environment names the checkpoint of attempt " + job.attempt());
    }
    Optional<String> former = PinAnnotations.formerPin(s, job);
    if (former.isPresent()) {
      return former;
    }
    boolean all = survivors(s).size() == s.pods().size();
    if (job.resumeByEnv()
        && cause(s).beforeStep() != null
        && !(job.injection() == ResumeInjection.BY_ANNOTATION && all)) {
      return Optional.of(
          ("the script is to go on from before step %d, and not every container restarted in place"
                  + " takes it from annotations")
              .formatted(cause(s).beforeStep()));
    }
    Optional<String> elsewhere = Avoidance.afterFailures(s, job);
    if (elsewhere.isPresent()) {
      return elsewhere;
    }
    if (!job.restartsInPlace()) {
      return Optional.of("under its restart policy the kubelets start no container again");
    }
    return Optional.empty();
  }

  private static Optional<String> ofGang(RecoverySnapshot s, JobView job) {
    long slots = s.pods().stream().map(p -> p.role() + "/" + p.index()).distinct().count();
    if (s.pods().size() != job.gangSize() || slots != job.gangSize()) {
      return Optional.of("the gang is not whole");
    }
    List<PodView> survivors = survivors(s);
    if (survivors.isEmpty()) {
      return Optional.of("no pod of it is on a fit node");
    }
    return reachesLimit(job, survivors, List.of())
        .or(
            () ->
                survivors.stream()
                    .filter(p -> p.phase() != PodView.Phase.RUNNING || p.terminating())
                    .findFirst()
                    .map(p -> "pod %s does not run or is being deleted".formatted(p.name())));
  }

  /**
   * Why the operator would fail the job if the containers of these pods were restarted once.
   *
   * @param others pods whose containers are left alone, and count as they are
   */
  static Optional<String> reachesLimit(JobView job, List<PodView> survivors, List<PodView> others) {
    Integer limit = job.backoffLimit();
    long restarts =
        survivors.stream().mapToLong(p -> p.restarts() + 1L).sum()
            + others.stream().mapToLong(PodView::restarts).sum();
    return limit == null || restarts < limit
        ? Optional.empty()
        : Optional.of(
            "%d container restarts would reach the backoffLimit of %d, and the operator would fail the job"
                .formatted(restarts, limit));
  }

  private static Optional<String> ofNodes(RecoverySnapshot s, JobView job, Instant now) {
    Duration within = heardWithin(job.gangSize());
    Set<String> heard =
        s.ranks().stream()
            .filter(r -> heardOf(r, within, now))
            .map(RankView::node)
            .collect(Collectors.toSet());
    for (String node : s.pods().stream().map(PodView::node).distinct().sorted().toList()) {
      if (!answers(s, node)) {
        return Optional.of("node %s does not answer".formatted(node));
      }
      if (!heard.contains(node)) {
        return Optional.of(
            "no agent on node %s was heard within %d s".formatted(node, within.toSeconds()));
      }
    }
    return Optional.empty();
  }

  /** No gang is frozen, and no pod deleted, for replacements that have no place. */
  private static Optional<String> ofPlaces(RecoverySnapshot s, JobView job, Policy policy) {
    return ofKueue(s, job)
        .or(
            () ->
                ReplacementPlan.of(s, job, policy)
                    .map(Replacements.Result::missing)
                    .filter(missing -> !missing.isEmpty()));
  }

  /** Why no pod of the gang can be replaced where Kueue assigns the nodes. */
  static Optional<String> ofKueue(RecoverySnapshot s, JobView job) {
    return QueuedJob.isPlacedByKueue(job) && survivors(s).size() < s.pods().size()
        ? Optional.of("Kueue has assigned the nodes, and assigns others only to a new start")
        : Optional.empty();
  }

  /**
   * How old the last report of an agent may be while the agent counts as running: a second more for
   * every hundred pods. A report from each takes that long to get through a busy API server, and a
   * needless rebuild costs the more the bigger the gang is.
   */
  private static Duration heardWithin(int pods) {
    return HEARD.plusSeconds(pods / 100);
  }

  private static boolean heardOf(RankView rank, Duration within, Instant now) {
    Instant observed = rank.observedTime();
    return observed != null && Duration.between(observed, now).compareTo(within) <= 0;
  }

  /** Whether a kubelet and an agent there can be expected to answer. */
  static boolean answers(RecoverySnapshot s, String node) {
    NodeView view = s.nodes().get(node);
    return view != null && !view.outOfService() && view.readiness() != NodeView.Readiness.SILENT;
  }

  /**
   * A pod that is older than its node. Another machine has come back under the name, its kubelet
   * may count restarts from 0 again, and no report on the containers of the former machine can be
   * distinguished from one on the containers to come (seed 72093268). One whose Node was only
   * registered again shows the same.
   */
  static Optional<String> outlived(RecoverySnapshot s) {
    return s.pods().stream()
        .filter(p -> isOlder(p, s.nodes().get(p.node())))
        .map(p -> "pod %s is older than node %s".formatted(p.name(), p.node()))
        .sorted()
        .findFirst();
  }

  private static boolean isOlder(PodView pod, @Nullable NodeView node) {
    return node != null && node.created() != null && pod.created().isBefore(node.created());
  }

  /** Pods that would keep their place. */
  static List<PodView> survivors(RecoverySnapshot s) {
    List<String> excluded = Exclusions.of(cause(s), s.nodes(), s.faults());
    return s.pods().stream().filter(p -> !excluded.contains(p.node())).toList();
  }

  /** How long the kubelet would wait, at most: it does not say which ends it still remembers. */
  static Duration backoff(PodView pod, Instant now) {
    Instant exit = pod.lastExit();
    if (pod.restarts() == 0
        || exit == null
        || Duration.between(exit, now).compareTo(FORGOTTEN) > 0) {
      return Duration.ZERO;
    }
    Duration wait = FIRST_BACKOFF;
    for (int i = 1; i < pod.restarts() && wait.compareTo(LONGEST_BACKOFF) < 0; i++) {
      wait = wait.multipliedBy(2);
    }
    return wait.compareTo(LONGEST_BACKOFF) > 0 ? LONGEST_BACKOFF : wait;
  }

  private static Duration rebuildTakes(JobView job, List<PodView> pods, Policy policy) {
    long grace =
        pods.stream().mapToLong(p -> Draining.grace(p, policy).toSeconds()).max().orElse(1);
    return REBUILD_TAKES.plusSeconds(grace).plus(REBUILD_EACH.multipliedBy(job.gangSize()));
  }
}
