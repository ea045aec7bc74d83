package dev.rekindle.simulator.process;

import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.api.Scorecard;
import dev.rekindle.controller.model.AscendView;
import dev.rekindle.controller.model.BoundVolume;
import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.DraView;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.FenceLimit;
import dev.rekindle.controller.model.GivenCheckpoint;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NamedStalls;
import dev.rekindle.controller.model.NodeUse;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.OrderView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.QueueView;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.model.RestartView;
import dev.rekindle.controller.model.ResumeOrder;
import dev.rekindle.controller.model.SpareOrder;
import dev.rekindle.controller.model.SpareView;
import dev.rekindle.controller.model.TrackerOrder;
import dev.rekindle.controller.model.TrackerView;
import dev.rekindle.controller.network.ClusterNetworks;
import dev.rekindle.controller.network.EndpointView;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.detect.fault.FaultObservation;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * What stands between a controller that is broken on purpose and its cluster: hands everything on
 * as it is, until a subclass bends it.
 */
abstract class Distortion implements ClusterState, ClusterGateway {
  private final ClusterState state;
  private final ClusterGateway gateway;

  Distortion(ClusterState state, ClusterGateway gateway) {
    this.state = state;
    this.gateway = gateway;
  }

  /** A controller that works through it. */
  static Reconcilers.Factory controller(
      BiFunction<ClusterState, ClusterGateway, Distortion> distortion) {
    return (state, gateway, clock, effects) -> {
      Distortion bent = distortion.apply(state, gateway);
      return Reconcilers.REAL.make(bent, bent, clock, effects);
    };
  }

  @Override
  public Optional<JobView> job(JobKey key) {
    return state.job(key);
  }

  @Override
  public List<PodView> pods(JobKey key) {
    return state.pods(key);
  }

  @Override
  public List<PodView> podsOn(String node) {
    return state.podsOn(node);
  }

  /** By what it says of the nodes, as it may be bent. */
  @Override
  public Map<String, NodeUse> used() {
    Map<String, NodeUse> used = new HashMap<>();
    for (NodeView node : nodes()) {
      NodeUse.of(podsOn(node.name())).ifPresent(use -> used.put(node.name(), use));
    }
    return used;
  }

  @Override
  public List<SpareView> spares(JobKey key) {
    return state.spares(key);
  }

  @Override
  public List<SpareView> spares() {
    return state.spares();
  }

  @Override
  public Optional<NodeView> node(String name) {
    return state.node(name);
  }

  @Override
  public List<NodeView> nodes() {
    return state.nodes();
  }

  @Override
  public List<FaultView> faults(String node) {
    return state.faults(node);
  }

  @Override
  public DraView dra(String node) {
    return state.dra(node);
  }

  @Override
  public List<AscendView> ascend(String node) {
    return state.ascend(node);
  }

  @Override
  public List<String> nodesWithFaults() {
    return state.nodesWithFaults();
  }

  @Override
  public List<FaultView> faultsOfCode(String code) {
    return state.faultsOfCode(code);
  }

  @Override
  public int faultsLeftOut(String node) {
    return state.faultsLeftOut(node);
  }

  @Override
  public boolean knowsVictim(String node, FaultView.Incident incident) {
    return state.knowsVictim(node, incident);
  }

  @Override
  public List<RankView> ranks(JobKey key) {
    return state.ranks(key);
  }

  @Override
  public List<RecoveryView> recoveries(JobKey key) {
    return state.recoveries(key);
  }

  @Override
  public List<RecoveryView> recoveries() {
    return state.recoveries();
  }

  @Override
  public List<RecoveryView> recoveriesIn(String namespace) {
    return state.recoveriesIn(namespace);
  }

  @Override
  public Optional<RecoveryView> recovery(String namespace, String name) {
    return state.recovery(namespace, name);
  }

  @Override
  public List<OrderView> orders(JobKey key) {
    return state.orders(key);
  }

  @Override
  public List<RestartView> restarts(JobKey key) {
    return state.restarts(key);
  }

  @Override
  public List<QueueView> queues() {
    return state.queues();
  }

  @Override
  public ClusterNetworks networks() {
    return state.networks();
  }

  @Override
  public Optional<EndpointView> endpoint(String namespace, String pod) {
    return state.endpoint(namespace, pod);
  }

  @Override
  public List<String> policies() {
    return state.policies();
  }

  @Override
  public Scorecard scorecard(String policy) {
    return state.scorecard(policy);
  }

  @Override
  public Optional<Policy> policy(String name) {
    return state.policy(name);
  }

  @Override
  public RecoveryView open(RecoveryView draft) {
    return gateway.open(draft);
  }

  @Override
  public RecoveryView save(RecoveryView recovery) {
    return gateway.save(recovery);
  }

  @Override
  public void remove(RecoveryView recovery) {
    gateway.remove(recovery);
  }

  @Override
  public boolean cordon(String node, String by, String reason, FenceLimit limit) {
    return gateway.cordon(node, by, reason, limit);
  }

  @Override
  public void release(String node) {
    gateway.release(node);
  }

  @Override
  public void recordIncident(String node, String by, Instant at) {
    gateway.recordIncident(node, by, at);
  }

  @Override
  public void recordStall(String node, NamedStalls.Entry stall) {
    gateway.recordStall(node, stall);
  }

  @Override
  public void markLemon(String node, boolean lemon) {
    gateway.markLemon(node, lemon);
  }

  @Override
  public void suspend(JobKey job, String uid, String recovery, String attempt) {
    gateway.suspend(job, uid, recovery, attempt);
  }

  @Override
  public void revive(JobKey job, String uid, String recovery) {
    gateway.revive(job, uid, recovery);
  }

  @Override
  public void resume(JobKey job, String uid, ResumeOrder order) {
    gateway.resume(job, uid, order);
  }

  @Override
  public void planNodes(JobKey job, String uid, List<String> hostnames) {
    gateway.planNodes(job, uid, hostnames);
  }

  @Override
  public void holdQueue(String queue, JobKey job, String recovery) {
    gateway.holdQueue(queue, job, recovery);
  }

  @Override
  public void releaseQueue(String queue, JobKey job) {
    gateway.releaseQueue(queue, job);
  }

  @Override
  public void unmarkWorkload(JobKey job, String uid) {
    gateway.unmarkWorkload(job, uid);
  }

  @Override
  public void requeue(JobKey job, String podGroup, String mark) {
    gateway.requeue(job, podGroup, mark);
  }

  @Override
  public void clearResume(JobKey job, String uid) {
    gateway.clearResume(job, uid);
  }

  @Override
  public void injectResume(JobKey job, String pod, String uid, GivenCheckpoint given) {
    gateway.injectResume(job, pod, uid, given);
  }

  @Override
  public void deletePod(JobKey job, String pod, String uid, Duration grace) {
    gateway.deletePod(job, pod, uid, grace);
  }

  @Override
  public void addSpare(JobKey job, String uid, SpareOrder order) {
    gateway.addSpare(job, uid, order);
  }

  @Override
  public void removeSpare(JobKey job, String pod, String uid) {
    gateway.removeSpare(job, pod, uid);
  }

  @Override
  public void order(RecoveryView recovery, String name, RestartOrderSpec spec) {
    gateway.order(recovery, name, spec);
  }

  @Override
  public void withdraw(JobKey job, String name) {
    gateway.withdraw(job, name);
  }

  @Override
  public boolean exists(JobKey job, String uid) {
    return gateway.exists(job, uid);
  }

  @Override
  public List<PodView> livePods(JobKey job) {
    return gateway.livePods(job);
  }

  @Override
  public Optional<Inspection.Unable> startInspector(JobKey job, String uid, String recovery) {
    return gateway.startInspector(job, uid, recovery);
  }

  @Override
  public Inspection inspect(JobKey job, String recovery) {
    return gateway.inspect(job, recovery);
  }

  @Override
  public void stopInspector(JobKey job, String recovery) {
    gateway.stopInspector(job, recovery);
  }

  @Override
  public void startTracker(JobKey job, String uid, TrackerOrder order) {
    gateway.startTracker(job, uid, order);
  }

  @Override
  public TrackerView tracker(JobKey job, String uid, TrackerOrder order) {
    return gateway.tracker(job, uid, order);
  }

  @Override
  public Optional<BoundVolume> volume(JobKey job, String claim) {
    return gateway.volume(job, claim);
  }

  @Override
  public void raise(FaultObservation observation) {
    gateway.raise(observation);
  }

  @Override
  public void clear(String fault, String by) {
    gateway.clear(fault, by);
  }

  @Override
  public void forget(String fault, String nodeUid) {
    gateway.forget(fault, nodeUid);
  }

  @Override
  public Optional<NodeView> liveNode(String node, Predicate<String> conditions) {
    return gateway.liveNode(node, conditions);
  }

  @Override
  public Optional<Instant> lease(String node) {
    return gateway.lease(node);
  }

  @Override
  public void score(String policy, UnaryOperator<Scorecard> change) {
    gateway.score(policy, change);
  }

  @Override
  public void recordEvent(ClusterEvent event) {
    gateway.recordEvent(event);
  }

  @Override
  public void recordEventOnce(ClusterEvent event, Instant at) {
    gateway.recordEventOnce(event, at);
  }
}
