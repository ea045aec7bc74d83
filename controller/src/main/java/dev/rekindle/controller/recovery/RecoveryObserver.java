package dev.rekindle.controller.recovery;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.OrderView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.model.RestartView;
import dev.rekindle.controller.model.TrackerView;
import dev.rekindle.controller.network.ClusterNetworks;
import dev.rekindle.controller.network.EndpointView;
import dev.rekindle.controller.policy.RuledJob;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.controller.telemetry.Metrics;
import dev.rekindle.detect.SteadyClock;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Makes the snapshots that the steps of recoveries are decided from. */
final class RecoveryObserver {
  /** Phases in which ranks may train on: what they reach, though it is held for hours, is lost. */
  private static final Set<RecoveryPhase> STOPPING =
      EnumSet.of(
          RecoveryPhase.DETECTED,
          RecoveryPhase.FENCING,
          RecoveryPhase.DRAINING,
          RecoveryPhase.PLANNING);

  private final ClusterState state;
  private final LiveFacts live;
  private final JobFacts facts;
  private final Effects effects;
  private final InspectorSession inspectors;
  private final ReportAudit audit;
  private final EarlierRecoveries earlier;
  private final NodesByName nodes;
  private final OtherGangs others;
  private final ReachedSteps steps = new ReachedSteps();
  private final RemovedAtOnce removed;
  private final JobVolumes volumes;

  RecoveryObserver(
      ClusterState state,
      ClusterGateway gateway,
      JobFacts facts,
      Effects effects,
      InspectorSession inspectors,
      Metrics metrics,
      InstantSource clock,
      SteadyClock steady) {
    this.state = state;
    this.live = new LiveFacts(gateway, effects);
    this.facts = facts;
    this.effects = effects;
    this.inspectors = inspectors;
    this.audit = new ReportAudit(metrics);
    this.earlier = new EarlierRecoveries(facts, clock);
    this.nodes = new NodesByName(state);
    this.others = new OtherGangs(state);
    this.removed = new RemovedAtOnce(steady);
    this.volumes = new JobVolumes(gateway, steady);
  }

  /** No recovery of the job is open any more. */
  void forget(JobKey key) {
    steps.forget(key);
    removed.forget(key);
    volumes.forget(key);
  }

  /**
   * All that the next step of a recovery depends on, now.
   *
   * @param ruled the job of the recovery, if it is there, and its policy
   */
  RecoverySnapshot observe(JobKey key, RecoveryView recovery, Optional<RuledJob> ruled) {
    JobView job = ruled.map(RuledJob::job).orElse(null);
    List<PodView> pods = job == null ? List.of() : facts.podsOf(job);
    RecoveryPhase phase = Transitions.phase(recovery);
    boolean none = job != null && pods.isEmpty() && live.isDrained(key, job, recovery, phase);
    boolean drained = job != null && removed.hasEnded(job, recovery, pods, none);
    Map<String, NodeView> nodes = this.nodes.get();
    Inspection inspection =
        phase == RecoveryPhase.PLANNING
            ? fitting(inspectors.read(key, recovery.name()), job)
            : new Inspection.Pending("not started");
    List<RankView> ranks = job == null ? List.of() : facts.ranksOf(job, pods);
    OrderView order = orderOf(key, recovery).orElse(null);
    List<RestartView> reports = order == null ? List.of() : reportsOn(key, order);
    audit.look(key, pods, reports);
    boolean frozen = phase == RecoveryPhase.DRAINING && isStall(recovery);
    List<FaultView> faults = facts.faultsOn(pods, recovery);
    boolean crowded =
        job != null
            && (phase == RecoveryPhase.PLANNING
                || (phase == RecoveryPhase.RESUMING && pods.isEmpty())
                || frozen
                || (phase == RecoveryPhase.DRAINING
                    && ReplacementPlan.isWanted(recovery, pods, nodes, faults))
                || (phase == RecoveryPhase.VERIFYING && RequiredRdma.mayMove(job, pods)));
    OtherGangs.Held held = crowded ? others.on(nodes, job) : OtherGangs.Held.NOTHING;
    RecoverySnapshot seen =
        new RecoverySnapshot(
            recovery,
            crowded ? volumes.bound(job) : job,
            pods,
            nodes,
            crowded
                ? Stream.concat(
                        faults.stream(), facts.faultsElsewhere(pods, recovery, nodes).stream())
                    .toList()
                : faults,
            ranks,
            order,
            reports,
            held.taken(),
            held.held(),
            ruled.map(r -> earlier.restarts(r, recovery)).orElse(0),
            STOPPING.contains(phase) ? steps.observe(key, recovery, pods, ranks) : null,
            drained,
            inspectors.started(key, recovery.name()),
            inspection,
            job == null || phase != RecoveryPhase.PLANNING
                ? List.of()
                : earlier.rollBacks(job, recovery),
            inspectors.scanFloor(key, recovery.name()),
            job != null && phase == RecoveryPhase.VERIFYING && earlier.sawSteps(job, recovery),
            ruled
                .filter(_ -> phase == RecoveryPhase.PLANNING || frozen)
                .map(r -> earlier.stallsBefore(r, recovery))
                .orElse(List.of()),
            effects.failures(key, recovery.name()),
            job == null ? List.of() : earlier.history(job, recovery),
            QuotaHold.queueOf(key, job, state.queues()),
            phase == RecoveryPhase.DRAINING
                    || phase == RecoveryPhase.PLANNING
                    || phase == RecoveryPhase.RESUMING
                    || phase == RecoveryPhase.VERIFYING
                ? state.networks()
                : ClusterNetworks.NONE,
            new TrackerView.Absent(),
            crowded ? state.spares() : state.spares(key),
            phase == RecoveryPhase.VERIFYING ? endpoints(pods) : Map.of());
    return Tracking.wanted(seen)
        .map(wanted -> seen.withTracker(live.tracker(key, recovery, wanted)))
        .orElse(seen);
  }

  /** What the job, as it is now, cannot load is not chosen. */
  private static Inspection fitting(Inspection inspection, @Nullable JobView job) {
    return inspection instanceof Inspection.Report report && job != null
        ? report.forGpus(job.gpus())
        : inspection;
  }

  private Map<String, EndpointView> endpoints(List<PodView> pods) {
    Map<String, EndpointView> endpoints = new HashMap<>();
    for (PodView pod : pods) {
      state
          .endpoint(pod.job().namespace(), pod.name())
          .ifPresent(endpoint -> endpoints.put(pod.name(), endpoint));
    }
    return endpoints;
  }

  private static boolean isStall(RecoveryView recovery) {
    RecoveryStatus status = recovery.status();
    return status != null
        && status.cause() != null
        && status.cause().reason().equals(Cause.STALLED);
  }

  private Optional<OrderView> orderOf(JobKey key, RecoveryView recovery) {
    if (recovery.status() == null) {
      return Optional.empty();
    }
    String name = Transitions.attemptId(recovery);
    return state.orders(key).stream()
        .filter(o -> o.name().equals(name) && o.spec().jobUid().equals(recovery.spec().jobUid()))
        .findFirst();
  }

  private List<RestartView> reportsOn(JobKey key, OrderView order) {
    return state.restarts(key).stream()
        .filter(r -> r.spec().orderUid().equals(order.uid()))
        .toList();
  }
}
