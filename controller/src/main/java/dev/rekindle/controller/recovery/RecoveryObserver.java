package dev.rekindle.controller.recovery;

import dev.rekindle.api.RankReportStatus.Loss;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RollBack;
import dev.rekindle.api.StallFinding;
import dev.rekindle.controller.diagnosis.GangProgress;
import dev.rekindle.controller.diagnosis.Restarts;
import dev.rekindle.controller.diagnosis.StallHistory;
import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Finish;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.OrderView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.model.RestartView;
import dev.rekindle.controller.model.TrackerOrder;
import dev.rekindle.controller.model.TrackerView;
import dev.rekindle.controller.network.ClusterNetworks;
import dev.rekindle.controller.network.EndpointView;
import dev.rekindle.controller.policy.RuledJob;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterGateway.CallException;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.controller.telemetry.Metrics;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
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
  private final ClusterGateway gateway;
  private final JobFacts facts;
  private final Effects effects;
  private final InspectorSession inspectors;
  private final ReportAudit audit;
  private final InstantSource clock;
  private final Map<JobKey, Reached> reached = new ConcurrentHashMap<>();
  private volatile Nodes nodes = new Nodes(List.of(), Map.of());

  /** The newest step that this process saw during a recovery. */
  private record Reached(String recovery, long step) {}

  /** The nodes as they were last read, by name. */
  private record Nodes(List<NodeView> all, Map<String, NodeView> byName) {}

  RecoveryObserver(
      ClusterState state,
      ClusterGateway gateway,
      JobFacts facts,
      Effects effects,
      InspectorSession inspectors,
      Metrics metrics,
      InstantSource clock) {
    this.state = state;
    this.gateway = gateway;
    this.facts = facts;
    this.effects = effects;
    this.inspectors = inspectors;
    this.audit = new ReportAudit(metrics);
    this.clock = clock;
  }

  /** No recovery of the job is open any more. */
  void forget(JobKey key) {
    reached.remove(key);
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
    boolean drained = job != null && pods.isEmpty() && isDrained(key, job, recovery, phase);
    Map<String, NodeView> nodes = nodes();
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
    RecoverySnapshot seen =
        new RecoverySnapshot(
            recovery,
            job,
            pods,
            nodes,
            faults,
            ranks,
            order,
            reports,
            crowded ? taken(job, nodes.keySet()) : Map.of(),
            crowded ? held(job, nodes.keySet()) : Map.of(),
            ruled.map(r -> restarts(r, recovery)).orElse(0),
            STOPPING.contains(phase) ? reached(key, recovery, pods, ranks) : null,
            drained,
            inspectors.started(key, recovery.name()),
            inspection,
            job == null || phase != RecoveryPhase.PLANNING ? List.of() : rollBacks(job, recovery),
            inspectors.scanFloor(key, recovery.name()),
            job != null && phase == RecoveryPhase.VERIFYING && printed(job, recovery),
            ruled
                .filter(_ -> phase == RecoveryPhase.PLANNING || frozen)
                .map(r -> stallsBefore(r, recovery))
                .orElse(List.of()),
            effects.failures(key, recovery.name()),
            job == null ? List.of() : history(job, recovery),
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
        .map(wanted -> seen.withTracker(tracker(key, recovery, wanted)))
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

  private TrackerView tracker(JobKey key, RecoveryView recovery, TrackerOrder order) {
    try {
      return gateway.tracker(key, recovery.spec().jobUid(), order);
    } catch (CallException failed) {
      // As good as one that does not report: it is waited for as long as for that.
      return new TrackerView.Pending("it cannot be read: " + failed.text());
    } catch (StaleException changed) {
      return new TrackerView.Pending(String.valueOf(changed.getMessage()));
    }
  }

  private List<RecoveryStatus> history(JobView job, RecoveryView current) {
    return facts.recoveriesOf(job).stream()
        .filter(r -> !r.name().equals(current.name()))
        .sorted(Comparator.comparingInt(r -> RecoveryNames.ordinal(job, r.name())))
        .map(RecoveryView::status)
        .filter(Objects::nonNull)
        .toList();
  }

  /** The list is the same object until a node changes. */
  @SuppressWarnings("ReferenceEquality")
  private Map<String, NodeView> nodes() {
    List<NodeView> all = state.nodes();
    Nodes known = nodes;
    if (known.all() != all) {
      known =
          new Nodes(
              all,
              all.stream()
                  .collect(Collectors.toUnmodifiableMap(NodeView::name, Function.identity())));
      nodes = known;
    }
    return known.byName();
  }

  /** Whether the API server itself shows no pod either, where that matters. */
  private boolean isDrained(JobKey key, JobView job, RecoveryView recovery, RecoveryPhase phase) {
    if (!job.suspensionSeen()
        || job.finish() == Finish.FAILED
        || phase.isTerminal()
        || phase == RecoveryPhase.PLANNING
        || phase == RecoveryPhase.RESUMING) {
      return false;
    }
    return effects
        .ask(key, recovery.name(), CallKind.LIST_PODS, () -> gateway.livePods(key))
        .filter(live -> live.stream().noneMatch(p -> p.jobUid().equals(job.uid())))
        .isPresent();
  }

  private List<RollBack> rollBacks(JobView job, RecoveryView current) {
    return facts.recoveriesOf(job).stream()
        .filter(r -> !r.name().equals(current.name()))
        .map(RecoveryView::status)
        .filter(Objects::nonNull)
        .flatMap(status -> CheckpointPin.rollBack(status).stream())
        .toList();
  }

  private static boolean isStall(RecoveryView recovery) {
    RecoveryStatus status = recovery.status();
    return status != null
        && status.cause() != null
        && status.cause().reason().equals(Cause.STALLED);
  }

  private List<StallFinding> stallsBefore(RuledJob ruled, RecoveryView current) {
    List<RecoveryView> others =
        facts.recoveriesOf(ruled.job()).stream()
            .filter(r -> !r.name().equals(current.name()))
            .toList();
    return StallHistory.of(others, ruled.policy(), clock.instant())
        .map(Cause::stall)
        .filter(Objects::nonNull)
        .toList();
  }

  private boolean printed(JobView job, RecoveryView current) {
    return facts.recoveriesOf(job).stream()
        .anyMatch(r -> !r.name().equals(current.name()) && r.sawSteps());
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

  private Map<String, Long> taken(@Nullable JobView job, Collection<String> nodes) {
    Map<String, Long> taken = new HashMap<>();
    for (String node : nodes) {
      long gpus = others(job, node).stream().mapToLong(PodView::gpus).sum();
      if (gpus > 0) {
        taken.put(node, gpus);
      }
    }
    return taken;
  }

  private Map<String, Amounts> held(@Nullable JobView job, Collection<String> nodes) {
    Map<String, Amounts> held = new HashMap<>();
    for (String node : nodes) {
      for (PodView pod : others(job, node)) {
        held.merge(node, pod.requests(), Amounts::plus);
      }
    }
    return held;
  }

  private List<PodView> others(@Nullable JobView job, String node) {
    return state.podsOn(node).stream()
        .filter(p -> p.live() && (job == null || !p.jobUid().equals(job.uid())))
        .toList();
  }

  private int restarts(RuledJob ruled, RecoveryView current) {
    Stream<RecoveryView> others =
        facts.recoveriesOf(ruled.job()).stream().filter(r -> !r.name().equals(current.name()));
    return Restarts.since(
        Stream.concat(others, Stream.of(current)).toList(),
        clock.instant().minus(ruled.policy().budgetWindow()));
  }

  /**
   * The newest step seen until the gang is drained. A new process has seen less; then the step
   * reported is an earlier one.
   */
  private @Nullable Long reached(
      JobKey key, RecoveryView recovery, List<PodView> pods, List<RankView> ranks) {
    GangProgress progress = GangProgress.of(pods, ranks);
    Loss loss = progress.loss();
    // Steps with a loss of NaN are no progress (seed 75095237).
    Long step = loss != null && loss.notFinite() > 0 ? null : progress.lastStep();
    Reached before = reached.get(key);
    boolean same = before != null && before.recovery().equals(recovery.name());
    if (step != null && (!same || step > Objects.requireNonNull(before).step())) {
      reached.put(key, new Reached(recovery.name(), step));
      return step;
    }
    return same ? Objects.requireNonNull(before).step() : null;
  }
}
