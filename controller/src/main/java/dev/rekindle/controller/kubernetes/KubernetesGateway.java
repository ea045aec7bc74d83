package dev.rekindle.controller.kubernetes;

import dev.rekindle.api.RecoveryPolicySpec;
import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.api.Scorecard;
import dev.rekindle.controller.kubernetes.convert.InspectorJob;
import dev.rekindle.controller.kubernetes.convert.SparePod;
import dev.rekindle.controller.kubernetes.convert.TrackerJob;
import dev.rekindle.controller.model.BoundVolume;
import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.FenceLimit;
import dev.rekindle.controller.model.GivenCheckpoint;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.NamedStalls;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.PolicyAcceptance;
import dev.rekindle.controller.model.QueueView;
import dev.rekindle.controller.model.QueuedJob;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.model.ResumeOrder;
import dev.rekindle.controller.model.SpareOrder;
import dev.rekindle.controller.model.TrackerOrder;
import dev.rekindle.controller.model.TrackerView;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.PolicyGateway;
import dev.rekindle.detect.fault.FaultObservation;
import dev.rekindle.logging.LogKey;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The gateway over fabric8. */
public final class KubernetesGateway implements ClusterGateway, PolicyGateway {
  /**
   * Not zero: a kubelet of 1.34.4 dies of a nil pointer where it starts containers of a pod whose
   * object is gone (doPodResizeAction, "Missing actuated resource record").
   */
  static final Duration SPARE_GRACE = Duration.ofSeconds(1);

  private static final Logger LOG = LoggerFactory.getLogger(KubernetesGateway.class);

  private final ApiCalls eventCalls;
  private final RecoveryCalls recoveries;
  private final NodeCalls nodes;
  private final NodeRecords nodeRecords;
  private final JobCalls jobs;
  private final PodCalls pods;
  private final OrderCalls orders;
  private final InspectorCalls inspectors;
  private final TrackerCalls trackers;
  private final VolumeLookup volumes;
  private final KueueCalls kueue;
  private final PodGroupCalls podGroups;
  private final SpareCalls spares;
  private final FaultCalls faults;
  private final PolicyCalls policies;
  private final EventRecorder events;
  private final Executor eventExecutor;
  private final InstantSource clock;

  /**
   * @param client must not repeat requests by itself: that is done here
   * @param circuits through which all calls go
   * @param state takes what was stored
   * @param inspector how inspectors are made
   * @param spare how warm spares are made
   * @param namespace our own, where the slots of the breaker are kept
   * @param instance who speaks in events: the pod name
   * @param eventExecutor writes events, in the order in which they are recorded
   */
  public KubernetesGateway(
      KubernetesClient client,
      Circuits circuits,
      KubernetesCache state,
      InspectorJob inspector,
      SparePod spare,
      String namespace,
      String instance,
      Executor eventExecutor,
      InstantSource clock) {
    this.eventExecutor = eventExecutor;
    this.clock = clock;
    recoveries = new RecoveryCalls(client, circuits.of("recoveries"), state);
    nodes = new NodeCalls(client, circuits, state.flat(), namespace, clock);
    nodeRecords = new NodeRecords(new NodePatches(client, circuits, state.flat()));
    kueue = new KueueCalls(client, circuits, clock);
    podGroups = new PodGroupCalls(client, circuits.of("podgroups"));
    jobs =
        new JobCalls(
            client,
            circuits.of("pytorchjobs"),
            kueue,
            job -> state.flat().job(job).filter(QueuedJob::isOne).isPresent());
    pods = new PodCalls(client, circuits.of("pods"));
    orders = new OrderCalls(client, circuits.of("restartorders"));
    policies = new PolicyCalls(client, circuits.of("recoverypolicies"), state.own(), clock);
    inspectors = new InspectorCalls(client, circuits, state.views(), inspector, clock);
    trackers =
        new TrackerCalls(
            client,
            circuits,
            inspectors,
            new TrackerJob(inspector.image(), inspector.pullPolicy()));
    volumes = new VolumeLookup(client, circuits);
    spares = new SpareCalls(client, circuits, spare);
    faults = new FaultCalls(client, circuits.of("nodefaults"), clock);
    eventCalls = circuits.of("events");
    events = new EventRecorder(client, instance);
  }

  @Override
  public RecoveryView open(RecoveryView draft) {
    return recoveries.open(draft);
  }

  @Override
  public RecoveryView save(RecoveryView recovery) {
    return recoveries.save(recovery);
  }

  @Override
  public void remove(RecoveryView recovery) {
    recoveries.remove(recovery);
  }

  @Override
  public boolean cordon(String node, String by, String reason, FenceLimit limit) {
    return nodes.cordon(node, by, reason, limit);
  }

  @Override
  public void release(String node) {
    nodes.release(node);
  }

  @Override
  public void recordIncident(String node, String by, Instant at) {
    nodeRecords.recordIncident(node, by, at);
  }

  @Override
  public void recordStall(String node, NamedStalls.Entry stall) {
    nodeRecords.recordStall(node, stall);
  }

  @Override
  public void markLemon(String node, boolean lemon) {
    nodeRecords.markLemon(node, lemon);
  }

  @Override
  public void suspend(JobKey job, String uid, String recovery, String attempt) {
    jobs.suspend(job, uid, recovery, attempt);
  }

  @Override
  public void revive(JobKey job, String uid, String recovery) {
    jobs.revive(job, uid, recovery);
  }

  @Override
  public void resume(JobKey job, String uid, ResumeOrder order) {
    jobs.resume(job, uid, order);
  }

  @Override
  public void holdQueue(String queue, JobKey job, String recovery) {
    kueue.hold(queue, QueueView.holder(job, recovery));
  }

  @Override
  public void releaseQueue(String queue, JobKey job) {
    kueue.release(queue, job);
  }

  @Override
  public void unmarkWorkload(JobKey job, String uid) {
    kueue.unmark(job, uid);
  }

  @Override
  public void requeue(JobKey job, String podGroup, String mark) {
    podGroups.requeue(job.namespace(), podGroup, mark);
  }

  @Override
  public void planNodes(JobKey job, String uid, List<String> hostnames) {
    jobs.planNodes(job, uid, hostnames);
  }

  @Override
  public void clearResume(JobKey job, String uid) {
    jobs.clearResume(job, uid);
  }

  @Override
  public void injectResume(JobKey job, String pod, String uid, GivenCheckpoint given) {
    pods.injectResume(job.namespace(), pod, uid, given);
  }

  @Override
  public void deletePod(JobKey job, String pod, String uid, Duration grace) {
    pods.delete(job.namespace(), pod, uid, grace);
  }

  @Override
  public void addSpare(JobKey job, String uid, SpareOrder order) {
    spares.add(jobs.get(job, uid), order);
  }

  @Override
  public void removeSpare(JobKey job, String pod, String uid) {
    pods.delete(job.namespace(), pod, uid, SPARE_GRACE);
  }

  @Override
  public void order(RecoveryView recovery, String name, RestartOrderSpec spec) {
    orders.give(recovery, name, spec);
  }

  @Override
  public void withdraw(JobKey job, String name) {
    orders.withdraw(job.namespace(), name);
  }

  @Override
  public boolean exists(JobKey job, String uid) {
    return jobs.exists(job, uid);
  }

  @Override
  public List<PodView> livePods(JobKey job) {
    return pods.live(job);
  }

  @Override
  public Optional<Inspection.Unable> startInspector(JobKey job, String uid, String recovery) {
    return inspectors.start(jobs.get(job, uid), recovery);
  }

  @Override
  public Inspection inspect(JobKey job, String recovery) {
    return inspectors.inspect(job, recovery);
  }

  @Override
  public void stopInspector(JobKey job, String recovery) {
    inspectors.stop(job, recovery);
  }

  @Override
  public void startTracker(JobKey job, String uid, TrackerOrder order) {
    trackers.start(jobs.get(job, uid), order);
  }

  @Override
  public TrackerView tracker(JobKey job, String uid, TrackerOrder order) {
    return trackers.read(jobs.get(job, uid), order);
  }

  @Override
  public Optional<BoundVolume> volume(JobKey job, String claim) {
    return volumes.bound(job.namespace(), claim);
  }

  @Override
  public void raise(FaultObservation observation) {
    faults.raise(observation);
  }

  @Override
  public void clear(String fault, String by) {
    faults.clear(fault, by);
  }

  @Override
  public void forget(String fault, String nodeUid) {
    faults.forget(fault, nodeUid);
  }

  @Override
  public Optional<NodeView> liveNode(String node, Predicate<String> conditions) {
    return nodes.live(node, conditions);
  }

  @Override
  public Optional<Instant> lease(String node) {
    return nodes.lease(node);
  }

  @Override
  public void score(String policy, UnaryOperator<Scorecard> change) {
    policies.score(policy, change);
  }

  @Override
  public void accept(String policy, Function<RecoveryPolicySpec, PolicyAcceptance> judge) {
    policies.accept(policy, judge);
  }

  @Override
  public void recordEvent(ClusterEvent event) {
    Instant now = clock.instant();
    eventExecutor.execute(() -> write(event, () -> events.write(event, now)));
  }

  @Override
  public void recordEventOnce(ClusterEvent event, Instant at) {
    eventExecutor.execute(() -> write(event, () -> events.writeOnce(event, at)));
  }

  private void write(ClusterEvent event, Runnable call) {
    try {
      var _ =
          eventCalls
              .in(event.job() == null ? EventRecorder.OF_NODES : event.job().namespace())
              .call(
                  () -> {
                    call.run();
                    return event;
                  });
    } catch (RuntimeException error) {
      LOG.atWarn()
          .addKeyValue(LogKey.JOB.key(), event.job())
          .addKeyValue(LogKey.NODE.key(), event.node())
          .addKeyValue(LogKey.REASON.key(), event.reason().word())
          .addKeyValue(LogKey.ERROR.key(), error.toString())
          .log("Cannot write an event");
    }
  }
}
