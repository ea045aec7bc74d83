package dev.rekindle.controller.story;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.checkpoint.Inspection;
import dev.rekindle.controller.cluster.ClusterGateway;
import dev.rekindle.controller.cluster.ClusterState;
import dev.rekindle.controller.cluster.FaultView;
import dev.rekindle.controller.cluster.JobKey;
import dev.rekindle.controller.cluster.JobView;
import dev.rekindle.controller.cluster.JobView.Finish;
import dev.rekindle.controller.cluster.JobView.OptIn;
import dev.rekindle.controller.cluster.JobView.Replica;
import dev.rekindle.controller.cluster.JobView.RestartPolicy;
import dev.rekindle.controller.cluster.NodeView;
import dev.rekindle.controller.cluster.NodeView.Readiness;
import dev.rekindle.controller.cluster.PodView;
import dev.rekindle.controller.cluster.PodView.Phase;
import dev.rekindle.controller.cluster.Policy;
import dev.rekindle.controller.cluster.RankView;
import dev.rekindle.controller.cluster.RecoveryView;
import dev.rekindle.controller.journal.Announcement;
import dev.rekindle.controller.recovery.ResumeOrder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One job on four nodes in virtual time, with the manners of the real things: the operator deletes
 * pods of a suspended job and re-creates each replica on its own, the kubelet ends a container when
 * its grace period is over, a silent node confirms nothing and its processes go on unless frozen,
 * and training steps only as a whole gang of one generation.
 */
final class FakeCluster implements ClusterState, ClusterGateway {
  private static final Duration START = Duration.ofSeconds(2);
  private static final Duration OPERATOR_LAG = Duration.ofMillis(200);

  /** A process of a rank: it may outlive its pod object. */
  static final class RankProcess {
    final String uid;
    final String attempt;
    final String node;
    final int rank;
    boolean dead;
    boolean stuck;

    RankProcess(String uid, String attempt, String node, int rank) {
      this.uid = uid;
      this.attempt = attempt;
      this.node = node;
      this.rank = rank;
    }
  }

  static final class Rank {
    @Nullable Instant deadline;
    @Nullable Long grace;
    Phase phase = Phase.PENDING;
    final RankProcess process;
    final Instant created;
    long first;
    @Nullable Instant firstTime;

    Rank(RankProcess process, Instant created) {
      this.process = process;
      this.created = created;
    }
  }

  Instant now = Given.T0;
  final Map<String, NodeView> nodes = new TreeMap<>(Given.nodes());
  final List<FaultView> faults = new ArrayList<>();
  final Map<Integer, Rank> pods = new TreeMap<>();
  final List<RankProcess> processes = new ArrayList<>();
  final Map<String, RecoveryView> recoveries = new LinkedHashMap<>();
  final List<Announcement> announcements = new ArrayList<>();
  final Set<String> frozen = new HashSet<>();
  final List<String> order = new ArrayList<>();
  final RestartPolicy restart;
  Policy policy = Policy.DEFAULT;
  OptIn optIn = new OptIn.Yes(JobView.Mode.AUTO);

  boolean suspended;
  String suspendedBy = "";
  boolean suspensionSeen;
  String attempt = "";
  Finish finish = Finish.NOT_FINISHED;
  @Nullable Instant finishedAt;
  Set<String> excluded = Set.of();
  @Nullable Instant specChanged;

  long step;
  Instant stepTime = Given.T0;
  long checkpoint;
  boolean newestTorn;
  int stoppedRank = -1;
  @Nullable Instant inspectorSince;
  int uids;
  int generations;

  FakeCluster(RestartPolicy restart) {
    this.restart = restart;
  }

  // --- the world moves on -------------------------------------------------------------------

  /** A tenth of a second passes. */
  void tick() {
    now = now.plusMillis(100);
    operator();
    kubelets();
    train();
  }

  private void operator() {
    if (specChanged != null && now.isBefore(specChanged.plus(OPERATOR_LAG))) {
      return;
    }
    if (finish != Finish.NOT_FINISHED) {
      return;
    }
    if (suspended) {
      pods.values().forEach(p -> delete(p, 30));
      suspensionSeen = true;
      return;
    }
    suspensionSeen = false;
    boolean failed =
        pods.values().stream().anyMatch(p -> p.phase == Phase.FAILED)
            // The operator counts a running pod with a deletion timestamp as failed under Never.
            || (restart == RestartPolicy.NEVER
                && pods.values().stream().anyMatch(p -> p.deadline != null));
    if (failed && !restart.restartsInPlace()) {
      finish = Finish.FAILED;
      finishedAt = now;
      return;
    }
    for (int i = 0; i < 3; i++) {
      if (!pods.containsKey(i)) {
        place(i);
      }
    }
  }

  private void place(int rank) {
    Set<String> taken = new HashSet<>();
    pods.values().forEach(p -> taken.add(p.process.node));
    nodes.values().stream()
        .filter(n -> n.readiness() == Readiness.READY && !n.unschedulable())
        .filter(n -> !excluded.contains(n.hostname()) && !taken.contains(n.name()))
        .min(Comparator.comparing(NodeView::name))
        .ifPresent(
            n -> {
              RankProcess process = new RankProcess("uid-" + ++uids, attempt, n.name(), rank);
              processes.add(process);
              pods.put(rank, new Rank(process, now));
            });
  }

  private void kubelets() {
    pods.values()
        .removeIf(
            p -> {
              boolean answers = answers(p.process.node);
              if (answers && p.deadline != null && !now.isBefore(p.deadline)) {
                p.process.dead = true;
                order.add("gone " + p.process.uid);
                return true;
              }
              if (answers && p.phase == Phase.PENDING && !now.isBefore(p.created.plus(START))) {
                p.phase = Phase.RUNNING;
              }
              return false;
            });
    // A kubelet that answers ends what the API no longer knows.
    Set<String> known = new HashSet<>();
    pods.values().forEach(p -> known.add(p.process.uid));
    processes.stream()
        .filter(p -> answers(p.node) && !known.contains(p.uid))
        .forEach(p -> p.dead = true);
  }

  private void train() {
    if (pods.size() < 3 || pods.values().stream().anyMatch(p -> !trains(p))) {
      return;
    }
    if (pods.values().stream().map(p -> p.process.attempt).distinct().count() > 1) {
      throw new AssertionError("two generations train together");
    }
    if (pods.values().stream().anyMatch(p -> p.firstTime == null)) {
      step = Math.max(0, checkpointToResume());
      generations++;
      pods.values()
          .forEach(
              p -> {
                p.first = step + 1;
                p.firstTime = now;
              });
    }
    step++;
    stepTime = now;
    if (step % 10 == 0) {
      checkpoint = step;
      newestTorn = false;
    }
  }

  private long checkpointToResume() {
    return newestTorn ? checkpoint - 10 : checkpoint;
  }

  private boolean trains(Rank p) {
    return p.phase == Phase.RUNNING
        && !p.process.dead
        && !p.process.stuck
        && p.process.rank != stoppedRank
        && !frozen.contains(p.process.node);
  }

  private boolean answers(String node) {
    NodeView view = nodes.get(node);
    return view != null && view.readiness() == Readiness.READY && !frozen.contains(node);
  }

  /** A kubelet keeps the grace period that it was told first, whatever the object says later. */
  private void delete(Rank p, long grace) {
    if (p.deadline == null) {
      p.deadline = now.plusSeconds(grace);
      p.grace = grace;
      order.add("delete " + p.process.uid);
    }
  }

  // --- what befalls it ----------------------------------------------------------------------

  void xid79(String node) {
    processes.stream().filter(p -> p.node.equals(node)).forEach(p -> p.stuck = true);
    faults.add(Given.fault(node, "XID-79", FenceGuidance.ALWAYS));
  }

  void kill(int rank) {
    Rank p = pods.get(rank);
    if (p != null) {
      p.process.dead = true;
      p.phase = Phase.FAILED;
    }
  }

  void freeze(String node) {
    frozen.add(node);
    nodes.computeIfPresent(
        node, (n, v) -> Given.node(n, Readiness.SILENT, now, v.unschedulable(), v.fencedBy()));
  }

  void thaw(String node) {
    frozen.remove(node);
    nodes.computeIfPresent(
        node, (n, v) -> Given.node(n, Readiness.READY, now, v.unschedulable(), v.fencedBy()));
  }

  /** Attempts of which a process could compute right now: alive on a node that is not frozen. */
  Set<String> computing() {
    Set<String> attempts = new HashSet<>();
    processes.stream()
        .filter(p -> !p.dead && !frozen.contains(p.node))
        .forEach(p -> attempts.add(p.attempt + "#" + generationOf(p)));
    return attempts;
  }

  private static String generationOf(RankProcess p) {
    return p.attempt.isEmpty() ? "first" : p.attempt;
  }

  // --- ClusterState -------------------------------------------------------------------------

  @Override
  public Optional<JobView> job(JobKey key) {
    List<Replica> replicas =
        List.of(new Replica("Master", 1, restart), new Replica("Worker", 2, restart));
    return Optional.of(
        new JobView(
            key,
            Given.UID,
            optIn,
            "default",
            "/ckpt",
            true,
            Duration.ofSeconds(15),
            replicas,
            suspended,
            suspendedBy,
            suspensionSeen,
            attempt,
            finish,
            finishedAt,
            finish == Finish.FAILED ? "1 Worker replica(s) failed" : "",
            "",
            24));
  }

  @Override
  public List<PodView> pods(JobKey key) {
    List<PodView> views = new ArrayList<>();
    pods.forEach(
        (rank, p) ->
            views.add(
                new PodView(
                    key,
                    "demo-" + rank,
                    p.process.uid,
                    Given.UID,
                    rank == 0 ? "master" : "worker",
                    Math.max(0, rank - 1),
                    p.process.node,
                    p.phase,
                    p.phase == Phase.RUNNING,
                    30,
                    p.grace,
                    p.deadline,
                    p.process.attempt,
                    0,
                    null,
                    null,
                    p.created)));
    return views;
  }

  @Override
  public Optional<NodeView> node(String name) {
    return Optional.ofNullable(nodes.get(name));
  }

  @Override
  public List<NodeView> nodes() {
    return List.copyOf(nodes.values());
  }

  @Override
  public List<FaultView> faults(String node) {
    return faults.stream().filter(f -> f.node().equals(node)).toList();
  }

  @Override
  public List<RankView> ranks(JobKey key) {
    return pods.values().stream()
        .filter(p -> p.firstTime != null)
        .map(
            p ->
                new RankView(
                    key,
                    "demo-" + p.process.rank,
                    p.process.uid,
                    p.process.node,
                    0,
                    p.first,
                    step,
                    p.firstTime,
                    stepTime,
                    frozen.contains(p.process.node) ? stepTime : now))
        .toList();
  }

  @Override
  public List<RecoveryView> recoveries(JobKey key) {
    return List.copyOf(recoveries.values());
  }

  @Override
  public Optional<RecoveryView> recovery(String namespace, String name) {
    return Optional.ofNullable(recoveries.get(name));
  }

  @Override
  public Policy policy(String name) {
    return policy;
  }

  // --- ClusterGateway -----------------------------------------------------------------------

  @Override
  public RecoveryView open(RecoveryView draft) {
    return recoveries.computeIfAbsent(
        draft.name(),
        n -> new RecoveryView(draft.namespace(), n, "uid-" + n, "1", draft.spec(), null));
  }

  @Override
  public RecoveryView save(RecoveryView recovery) {
    RecoveryView stored = recoveries.get(recovery.name());
    if (stored == null || !stored.resourceVersion().equals(recovery.resourceVersion())) {
      throw new StaleException("another version is stored");
    }
    RecoveryView next =
        new RecoveryView(
            stored.namespace(),
            stored.name(),
            stored.uid(),
            String.valueOf(Long.parseLong(stored.resourceVersion()) + 1),
            stored.spec(),
            recovery.status());
    recoveries.put(next.name(), next);
    return next;
  }

  @Override
  public void cordon(String node, String recovery, String reason) {
    nodes.computeIfPresent(
        node,
        (n, v) -> v.unschedulable() ? v : Given.node(n, v.readiness(), Given.T0, true, recovery));
    order.add("cordon " + node);
  }

  @Override
  public void release(String node) {
    nodes.computeIfPresent(node, (n, v) -> Given.node(n, v.readiness(), Given.T0, false, ""));
  }

  @Override
  public void suspend(JobKey job, String uid, String recovery) {
    if (suspended && suspendedBy.isEmpty()) {
      throw new StaleException("suspended by its user");
    }
    if (!suspended || !suspendedBy.equals(recovery)) {
      suspended = true;
      suspendedBy = recovery;
      specChanged = now;
    }
  }

  @Override
  public void revive(JobKey job, String uid, String recovery) {
    if (!suspended || !suspendedBy.equals(recovery)) {
      throw new StaleException("not suspended by " + recovery);
    }
    finish = Finish.NOT_FINISHED;
    finishedAt = null;
    specChanged = now;
  }

  @Override
  public void resume(JobKey job, String uid, ResumeOrder resume) {
    if (attempt.equals(resume.attempt()) && !suspended) {
      return;
    }
    if (!suspended || !suspendedBy.equals(resume.recovery())) {
      throw new StaleException("not suspended by " + resume.recovery());
    }
    if (resume.resumeStep() != null && newestTorn && resume.resumeStep() == checkpoint) {
      throw new AssertionError("resumed from a torn checkpoint");
    }
    if (resume.resumeStep() != null && resume.resumeStep() < checkpointToResume()) {
      throw new AssertionError("resumed from an older checkpoint than the newest valid one");
    }
    if (!pods.isEmpty()) {
      throw new AssertionError("resumed beside pods of the old generation");
    }
    suspended = false;
    suspendedBy = "";
    attempt = resume.attempt();
    excluded = Set.copyOf(resume.excludedHostnames());
    specChanged = now;
    order.add("resume " + attempt);
  }

  @Override
  public void deletePod(JobKey job, String pod, String uid, Duration grace) {
    for (Rank p : List.copyOf(pods.values())) {
      if (p.process.uid.equals(uid)) {
        if (grace.isZero()) {
          pods.remove(p.process.rank);
          order.add("force " + uid);
        } else {
          delete(p, grace.toSeconds());
        }
      }
    }
  }

  @Override
  public List<PodView> livePods(JobKey job) {
    return pods(job);
  }

  @Override
  public String startInspector(JobKey job, String uid, String recovery) {
    if (inspectorSince == null) {
      inspectorSince = now;
    }
    return "";
  }

  @Override
  public Inspection inspect(JobKey job, String recovery) {
    if (inspectorSince == null) {
      return new Inspection.Pending("not started");
    }
    long scan = Duration.between(inspectorSince.plusSeconds(1), now).toMillis() / 200;
    if (scan < 1) {
      return new Inspection.Pending("starting");
    }
    List<Inspection.Checkpoint> found = new ArrayList<>();
    for (long s = checkpoint; s > 0 && s > checkpoint - 30; s -= 10) {
      boolean torn = newestTorn && s == checkpoint;
      found.add(
          new Inspection.Checkpoint(
              "/ckpt/step-" + s + ".pt",
              s,
              1000,
              now,
              torn ? "torn" : "valid",
              "L3",
              torn ? "no end record" : ""));
    }
    return new Inspection.Report(scan, found, "");
  }

  @Override
  public void stopInspector(JobKey job, String recovery) {
    inspectorSince = null;
  }

  @Override
  public void announce(Announcement announcement) {
    announcements.add(announcement);
  }
}
