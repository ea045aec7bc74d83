package dev.rekindle.simulator.process;

import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.api.Scorecard;
import dev.rekindle.controller.cache.FlatState;
import dev.rekindle.controller.fencing.FenceSlotAllocator;
import dev.rekindle.controller.model.BoundVolume;
import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.FenceLimit;
import dev.rekindle.controller.model.GivenCheckpoint;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.NamedStalls;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.model.ResumeOrder;
import dev.rekindle.controller.model.SpareOrder;
import dev.rekindle.controller.model.TrackerOrder;
import dev.rekindle.controller.model.TrackerView;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.detect.fault.FaultObservation;
import dev.rekindle.simulator.process.Answers.Answer;
import dev.rekindle.simulator.process.Answers.Call;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The controller's gateway over the API server in memory: the same calls in the same order as over
 * fabric8, with the same guards and preconditions. The API server may refuse what it is asked, with
 * no effect.
 */
final class SimGateway implements ClusterGateway {
  private final Caller caller;
  private final WriteObserver observer;
  private final Answers answers;
  private final InstantSource time;
  private final RecoveryCalls recoveries;
  private final NodeCalls nodes;
  private final JobCalls jobs;
  private final KueueCalls kueue;
  private final PodCalls pods;
  private final OrderCalls orders;
  private final InspectorCalls inspectors;
  private final SpareCalls spares;
  private final FaultCalls faults;
  private final PolicyCalls policies;
  private final EventCalls events;

  /**
   * @param state is given what was stored
   * @param observer sees what takes effect
   * @param clock of the process
   * @param time of the world, whatever the clock of the process says
   */
  SimGateway(
      World world,
      Caller caller,
      FlatState state,
      WriteObserver observer,
      InstantSource clock,
      Answers answers,
      InstantSource time) {
    this.caller = caller;
    this.observer = observer;
    this.answers = answers;
    this.time = time;
    ApiCalls api = new ApiCalls(caller);
    this.recoveries = new RecoveryCalls(world, api, state, observer);
    FenceSlotAllocator slots =
        new FenceSlotAllocator(
            new SimFenceStore(world, caller, state),
            clock,
            Reconcilers.steady(clock),
            FiberSeat::new);
    this.nodes = new NodeCalls(world, api, state, observer, clock, slots);
    this.kueue = new KueueCalls(world, api, clock, observer);
    this.jobs = new JobCalls(world, api, observer, kueue);
    this.pods = new PodCalls(world, api, observer);
    this.orders = new OrderCalls(world, api, observer);
    this.inspectors = new InspectorCalls(world, api, jobs, state, clock);
    this.spares = new SpareCalls(world, api, jobs);
    this.faults = new FaultCalls(world, api, clock);
    this.policies = new PolicyCalls(world, api, state);
    this.events = new EventCalls(world, api, observer);
  }

  private void ask(Call call, @Nullable JobKey job) {
    observer.called(call, job);
    Optional<Answer> answer = answers.to(call, job, time.instant());
    if (answer.isPresent()) {
      caller.answered();
      throw answer.get().exception();
    }
  }

  @Override
  public RecoveryView open(RecoveryView draft) {
    ask(Call.OPEN, draft.job());
    return recoveries.open(draft);
  }

  @Override
  public RecoveryView save(RecoveryView recovery) {
    ask(Call.SAVE, recovery.job());
    return recoveries.save(recovery);
  }

  @Override
  public void remove(RecoveryView recovery) {
    ask(Call.REMOVE, recovery.job());
    recoveries.remove(recovery);
  }

  @Override
  public boolean cordon(String name, String by, String reason, FenceLimit limit) {
    ask(Call.CORDON, null);
    return nodes.cordon(name, by, limit);
  }

  @Override
  public void recordIncident(String name, String by, Instant at) {
    ask(Call.RECORD_INCIDENT, null);
    nodes.recordIncident(name, by, at);
  }

  @Override
  public void recordStall(String name, NamedStalls.Entry stall) {
    ask(Call.RECORD_STALL, null);
    nodes.recordStall(name, stall);
  }

  @Override
  public void markLemon(String name, boolean lemon) {
    ask(Call.MARK_LEMON, null);
    nodes.markLemon(name, lemon);
  }

  @Override
  public void release(String name) {
    ask(Call.RELEASE, null);
    nodes.release(name);
  }

  /** Lifts the cordon without checking whose it is: what a broken controller would do. */
  void releaseWhatever(String name) {
    nodes.releaseWhatever(name);
  }

  @Override
  public void suspend(JobKey key, String uid, String recovery, String attempt) {
    ask(Call.SUSPEND, key);
    jobs.suspend(key, uid, recovery, attempt);
  }

  /** Suspends a job whatever owns its suspension: what a broken controller would do. */
  void suspendWhatever(JobKey key, String recovery) {
    jobs.suspendWhatever(key, recovery);
  }

  @Override
  public void revive(JobKey key, String uid, String recovery) {
    ask(Call.REVIVE, key);
    jobs.revive(key, uid, recovery);
  }

  @Override
  public void resume(JobKey key, String uid, ResumeOrder order) {
    ask(Call.RESUME, key);
    jobs.resume(key, uid, order);
  }

  @Override
  public void planNodes(JobKey key, String uid, List<String> hostnames) {
    ask(Call.PLAN_NODES, key);
    jobs.planNodes(key, uid, hostnames);
  }

  @Override
  public void holdQueue(String queue, JobKey key, String recovery) {
    ask(Call.HOLD_QUEUE, key);
    kueue.hold(key, recovery);
  }

  @Override
  public void releaseQueue(String queue, JobKey key) {
    ask(Call.RELEASE_QUEUE, key);
    kueue.release(key);
  }

  /** Activates a Workload for any reason of its stop: what a broken controller would do. */
  void startWorkloadWhatever(JobKey key) {
    kueue.startWhatever(key);
  }

  /** Opens the queue for any reason of its stop: what a broken controller would do. */
  void releaseQueueWhatever() {
    kueue.releaseWhatever();
  }

  @Override
  public void unmarkWorkload(JobKey key, String uid) {
    ask(Call.UNMARK_WORKLOAD, key);
    kueue.unmark(key);
  }

  @Override
  public void requeue(JobKey key, String podGroup, String mark) {
    ask(Call.REQUEUE, key);
    pods.requeue(key.namespace(), podGroup, mark);
  }

  @Override
  public void clearResume(JobKey key, String uid) {
    ask(Call.CLEAR_RESUME, key);
    jobs.clearResume(key, uid);
  }

  @Override
  public void injectResume(JobKey key, String pod, String uid, GivenCheckpoint given) {
    ask(Call.INJECT_RESUME, key);
    pods.injectResume(key, pod, uid, given);
  }

  @Override
  public void deletePod(JobKey key, String pod, String uid, Duration grace) {
    ask(Call.DELETE_POD, key);
    pods.delete(key, pod, uid, grace);
  }

  @Override
  public void addSpare(JobKey key, String uid, SpareOrder order) {
    ask(Call.ADD_SPARE, key);
    spares.add(key, uid, order);
  }

  @Override
  public void removeSpare(JobKey key, String pod, String uid) {
    ask(Call.REMOVE_SPARE, key);
    spares.remove(key, pod, uid);
  }

  @Override
  public void order(RecoveryView recovery, String name, RestartOrderSpec spec) {
    ask(Call.ORDER, recovery.job());
    orders.order(recovery, name, spec);
  }

  @Override
  public void withdraw(JobKey job, String name) {
    ask(Call.WITHDRAW, job);
    orders.withdraw(job, name);
  }

  @Override
  public boolean exists(JobKey job, String uid) {
    ask(Call.EXISTS, job);
    return jobs.exists(job, uid);
  }

  @Override
  public List<PodView> livePods(JobKey job) {
    ask(Call.LIVE_PODS, job);
    return pods.list(job);
  }

  @Override
  public Optional<Inspection.Unable> startInspector(JobKey key, String uid, String recovery) {
    ask(Call.START_INSPECTOR, key);
    return inspectors.start(key, uid, recovery);
  }

  @Override
  public Inspection inspect(JobKey job, String recovery) {
    ask(Call.INSPECT, job);
    return inspectors.inspect(job, recovery);
  }

  @Override
  public void stopInspector(JobKey job, String recovery) {
    ask(Call.STOP_INSPECTOR, job);
    inspectors.stop(job, recovery);
  }

  @Override
  public void startTracker(JobKey job, String uid, TrackerOrder order) {
    ask(Call.START_TRACKER, job);
    inspectors.startTracker(job, uid, order);
  }

  @Override
  public TrackerView tracker(JobKey job, String uid, TrackerOrder order) {
    ask(Call.TRACKER, job);
    return inspectors.tracker(job, uid, order);
  }

  @Override
  public Optional<BoundVolume> volume(JobKey job, String claim) {
    ask(Call.VOLUME, job);
    return inspectors.volume(job, claim);
  }

  @Override
  public void raise(FaultObservation observation) {
    ask(Call.RAISE, null);
    faults.raise(observation);
  }

  @Override
  public void clear(String fault, String by) {
    ask(Call.CLEAR, null);
    faults.clear(fault, by);
  }

  @Override
  public void forget(String fault, String nodeUid) {
    ask(Call.FORGET, null);
    faults.forget(fault, nodeUid);
  }

  @Override
  public Optional<NodeView> liveNode(String node, Predicate<String> conditions) {
    return nodes.live(node);
  }

  /** There are no leases of nodes here. */
  @Override
  public Optional<Instant> lease(String node) {
    return Optional.empty();
  }

  @Override
  public void score(String policy, UnaryOperator<Scorecard> change) {
    ask(Call.SCORE, null);
    policies.score(policy, change);
  }

  /** Best effort: a refused event is lost. */
  @Override
  public void recordEvent(ClusterEvent event) {
    if (isTaken(event)) {
      events.record(event);
    }
  }

  @Override
  public void recordEventOnce(ClusterEvent event, Instant at) {
    if (isTaken(event)) {
      events.recordOnce(event);
    }
  }

  /** Whether events are written at all. */
  private boolean isTaken(ClusterEvent event) {
    observer.called(Call.RECORD_EVENT, event.job());
    if (answers.to(Call.RECORD_EVENT, event.job(), time.instant()).isEmpty()) {
      return true;
    }
    observer.unannounced(event);
    return false;
  }
}
