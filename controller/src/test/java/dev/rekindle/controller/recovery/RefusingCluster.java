package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.gang;

import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.api.Scorecard;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.cache.FlatState;
import dev.rekindle.controller.model.BoundVolume;
import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.FenceLimit;
import dev.rekindle.controller.model.GivenCheckpoint;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.NamedStalls;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.model.ResumeOrder;
import dev.rekindle.controller.model.SpareOrder;
import dev.rekindle.controller.model.TrackerOrder;
import dev.rekindle.controller.model.TrackerView;
import dev.rekindle.controller.port.Changes;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.detect.fault.FaultObservation;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A gang of three, and an API server that does at once what it is asked, and the operator with it,
 * but for the kinds of calls that it refuses.
 */
final class RefusingCluster implements ClusterGateway {
  private static final Changes NO_LISTENER = Changes.to(_ -> {}, _ -> {}, _ -> {});

  /** A call of that kind at that moment. */
  record Call(CallKind kind, Instant at) {}

  final FlatState state = new FlatState(NO_LISTENER);
  final List<Call> calls = new ArrayList<>();
  final List<ClusterEvent> said = new ArrayList<>();
  final List<String> incidents = new ArrayList<>();

  /** Rules that a good controller keeps, and where it has not. */
  final List<String> violations = new ArrayList<>();

  /** What claims are bound to. */
  final Map<String, BoundVolume> volumes = new TreeMap<>();

  Instant now = T0.plusSeconds(1);

  /** What happens while the inspector is read, or the API server lists the pods. */
  Runnable meanwhile = () -> {};

  /** What the API server keeps of a recovery: a CRD of an earlier chart knows fewer fields. */
  UnaryOperator<RecoveryView> kept = recovery -> recovery;

  /** What happens between the write of a recovery and its answer. */
  Runnable afterSave = () -> {};

  private final Map<CallKind, Supplier<RuntimeException>> refusals = new EnumMap<>(CallKind.class);
  private final Map<String, PodView> pods = new TreeMap<>();
  private final Map<String, RecoveryView> recoveries = new LinkedHashMap<>();
  private JobView job;
  private long version = 1;
  private long scans;
  private boolean deleted;

  /** Everything trains; node-1 is about to be found faulty. */
  RefusingCluster(Given.Job given) {
    job = given.view();
    state.policyFeed().present("default", "1", Policy.DEFAULT);
    state.scorecardFeed().present("default", "1", Scorecard.NONE);
    Given.nodes().values().forEach(this::store);
    store(job);
    gang("").forEach(p -> store(p, 42L));
  }

  /** From now on each call of that kind is answered like that. */
  void refuse(CallKind kind, Supplier<RuntimeException> answer) {
    refusals.put(kind, answer);
  }

  /** From now on everything is accepted. */
  void acceptAll() {
    refusals.clear();
  }

  void fault(FaultView fault) {
    state.faultFeed().present(fault.name(), next(), fault);
  }

  /** The fault is gone. */
  void clear(FaultView fault) {
    state.faultFeed().gone(fault.name(), next());
  }

  /** The kubelets have restarted all containers, and the gang makes steps again. */
  void comeBack(long step) {
    for (PodView pod : List.copyOf(pods.values())) {
      store(Given.restarted(pod, now.minusSeconds(5)), step);
    }
  }

  /** The watch of jobs begins again with a list that lacks the job, which is there. */
  void loseSightOfJob() {
    state.jobFeed().gone(job.key().toString(), next());
  }

  /** Its user deletes the job. */
  void deleteJob() {
    deleted = true;
    loseSightOfJob();
  }

  JobView job() {
    return job;
  }

  Optional<RecoveryView> recovery() {
    return recoveries.values().stream().reduce((_, last) -> last);
  }

  private String next() {
    return Long.toString(++version);
  }

  private void store(NodeView node) {
    state.nodeFeed().present(node.name(), next(), node);
  }

  private void store(JobView next) {
    job = next;
    state.jobFeed().present(next.key().toString(), next(), next);
  }

  private void store(PodView pod, @Nullable Long step) {
    pods.put(pod.name(), pod);
    state.podFeed().present(podKey(pod), next(), pod);
    RankView rank = Given.rank(pod, step, step == null ? null : now, now).withFirstStep(step);
    state.rankFeed().present(podKey(pod), next(), rank);
  }

  private static String podKey(PodView pod) {
    return pod.job().namespace() + "/" + pod.name();
  }

  private void ask(CallKind kind) {
    calls.add(new Call(kind, now));
    Supplier<RuntimeException> refusal = refusals.get(kind);
    if (refusal != null) {
      throw refusal.get();
    }
  }

  private void rule(boolean kept, String rule) {
    if (!kept) {
      violations.add(rule + " at " + now);
    }
  }

  /** What must hold at each moment. */
  void check() {
    rule(
        !job.suspended() || recovery().map(RecoveryView::open).orElse(false),
        "a job is suspended only while its recovery is open");
  }

  @Override
  public RecoveryView open(RecoveryView draft) {
    ask(CallKind.OPEN);
    RecoveryView created =
        new RecoveryView(
            draft.namespace(), draft.name(), "uid-" + draft.name(), next(), draft.spec(), null);
    recoveries.put(draft.name(), created);
    state.created(created);
    return created;
  }

  @Override
  public RecoveryView save(RecoveryView r) {
    ask(CallKind.SAVE);
    RecoveryView stored =
        new RecoveryView(
            r.namespace(), r.name(), r.uid(), next(), r.spec(), kept.apply(r).status());
    recoveries.put(r.name(), stored);
    state.stored(stored);
    afterSave.run();
    return stored;
  }

  @Override
  public void remove(RecoveryView recovery) {
    recoveries.remove(recovery.name());
    state.gone(recovery);
  }

  @Override
  public boolean cordon(String node, String by, String reason, FenceLimit limit) {
    ask(CallKind.CORDON);
    store(Given.node(node, NodeView.Readiness.READY, T0, true, by));
    return true;
  }

  @Override
  public void release(String node) {}

  @Override
  public void recordIncident(String node, String by, Instant at) {
    incidents.add(node + " " + by);
  }

  @Override
  public void recordStall(String node, NamedStalls.Entry stall) {
    state
        .node(node)
        .ifPresent(n -> store(n.withStalls(NamedStalls.parse(n.stalls()).and(stall).format())));
  }

  @Override
  public void markLemon(String node, boolean lemon) {}

  @Override
  public void suspend(JobKey key, String uid, String recovery, String attempt) {
    ask(CallKind.SUSPEND);
    store(job.with(b -> b.suspended(true).suspendedBy(recovery).suspensionSeen(true)));
  }

  @Override
  public void revive(JobKey key, String uid, String recovery) {
    ask(CallKind.REVIVE);
    store(job.with(b -> b.finish(Finish.NOT_FINISHED).finishedAt(null)));
  }

  @Override
  public void resume(JobKey key, String uid, ResumeOrder order) {
    ask(CallKind.RESUME);
    store(
        job.with(
            b ->
                b.suspended(false).suspendedBy("").suspensionSeen(false).attempt(order.attempt())));
    List<PodView> gang = new ArrayList<>(gang(order.attempt()));
    gang.set(1, gang.get(1).withNode("node-3"));
    gang.forEach(p -> store(p.withCreated(now), 60L));
  }

  @Override
  public void planNodes(JobKey key, String uid, List<String> hostnames) {
    ask(CallKind.PLAN_NODES);
    store(job.withPlannedNodes(hostnames));
  }

  @Override
  public void holdQueue(String queue, JobKey key, String recovery) {
    ask(CallKind.HOLD_QUEUE);
  }

  @Override
  public void releaseQueue(String queue, JobKey key) {
    ask(CallKind.RELEASE_QUEUE);
  }

  @Override
  public void unmarkWorkload(JobKey key, String uid) {
    ask(CallKind.UNMARK_WORKLOAD);
  }

  @Override
  public void requeue(JobKey key, String podGroup, String mark) {
    ask(CallKind.REQUEUE);
  }

  @Override
  public void clearResume(JobKey key, String uid) {
    ask(CallKind.CLEAR_RESUME);
  }

  @Override
  public void injectResume(JobKey key, String pod, String uid, GivenCheckpoint given) {
    ask(CallKind.INJECT_RESUME);
  }

  @Override
  public void deletePod(JobKey key, String pod, String uid, Duration grace) {
    ask(CallKind.DELETE_POD);
    rule(job.suspended(), "no pod is deleted of a job that is not suspended");
    PodView gone = pods.remove(pod);
    if (gone != null) {
      state.podFeed().gone(podKey(gone), next());
    }
  }

  @Override
  public void addSpare(JobKey key, String uid, SpareOrder order) {
    throw new AssertionError("the job asks for no spares");
  }

  @Override
  public void removeSpare(JobKey key, String pod, String uid) {
    ask(CallKind.RELEASE_SPARE);
  }

  @Override
  public void order(RecoveryView recovery, String name, RestartOrderSpec spec) {
    ask(CallKind.ORDER);
  }

  @Override
  public void withdraw(JobKey key, String name) {
    ask(CallKind.WITHDRAW);
  }

  @Override
  public boolean exists(JobKey key, String uid) {
    return !deleted && job.key().equals(key) && job.uid().equals(uid);
  }

  @Override
  public List<PodView> livePods(JobKey key) {
    ask(CallKind.LIST_PODS);
    meanwhile.run();
    return List.copyOf(pods.values());
  }

  @Override
  public Optional<Inspection.Unable> startInspector(JobKey key, String uid, String recovery) {
    ask(CallKind.START_INSPECTOR);
    return Optional.empty();
  }

  @Override
  public Inspection inspect(JobKey key, String recovery) {
    meanwhile.run();
    return new Inspection.Report(
        ++scans,
        List.of(
            new Inspection.Checkpoint(
                "/ckpt/step-40.pt", 40, 1, T0.minusSeconds(9), "valid", "L3", "")),
        "");
  }

  @Override
  public void stopInspector(JobKey key, String recovery) {
    ask(CallKind.STOP_INSPECTOR);
  }

  @Override
  public void startTracker(JobKey key, String uid, TrackerOrder order) {
    ask(CallKind.START_TRACKER);
  }

  @Override
  public TrackerView tracker(JobKey key, String uid, TrackerOrder order) {
    return new TrackerView.Absent();
  }

  @Override
  public Optional<BoundVolume> volume(JobKey key, String claim) {
    return Optional.ofNullable(volumes.get(claim));
  }

  @Override
  public void raise(FaultObservation observation) {}

  @Override
  public void clear(String fault, String by) {}

  @Override
  public void forget(String fault, String nodeUid) {}

  @Override
  public Optional<NodeView> liveNode(String node, Predicate<String> conditions) {
    return state.node(node);
  }

  @Override
  public Optional<Instant> lease(String node) {
    return Optional.empty();
  }

  @Override
  public void score(String policy, UnaryOperator<Scorecard> change) {
    state.scorecardFeed().present(policy, next(), change.apply(state.scorecard(policy)));
  }

  @Override
  public void recordEvent(ClusterEvent event) {
    said.add(event);
  }

  /** Names are a function of what is said. */
  @Override
  public void recordEventOnce(ClusterEvent event, Instant at) {
    if (!said.contains(event)) {
      said.add(event);
    }
  }
}
