package dev.rekindle.controller.spares;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.diagnosis.NodeFacts;
import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Replica;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.model.SpareOrder;
import dev.rekindle.controller.model.SpareView;
import dev.rekindle.controller.placement.Gang;
import dev.rekindle.controller.placement.SpareNodes;
import dev.rekindle.controller.policy.RuledJob;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterGateway.RefusedException;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.controller.port.ClusterGateway.UnavailableException;
import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.controller.telemetry.Metrics;
import dev.rekindle.logging.LogKey;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes and removes the warm spares of jobs, one reconcile at a time. A job that requests none and
 * has none costs two lookups. What it remembers only spares calls and events: another process makes
 * the same of what it sees.
 */
public final class SpareKeeper {
  private static final Logger LOG = LoggerFactory.getLogger(SpareKeeper.class);

  /** After what was refused, or found no place: what stands against it seldom goes away soon. */
  static final Duration IN_VAIN = Duration.ofMinutes(5);

  /** Until the watch shows what the API server has accepted. */
  static final Duration SHOWN_WITHIN = Duration.ofSeconds(10);

  private static final Duration TROUBLE = Duration.ofSeconds(10);
  private static final Duration UNSETTLED = Duration.ofSeconds(5);
  private static final Duration FEWER = Duration.ofSeconds(60);

  private final ClusterState state;
  private final ClusterGateway gateway;
  private final Metrics metrics;
  private final InstantSource clock;
  private final Map<JobKey, Memory> memories = new ConcurrentHashMap<>();

  /** What is remembered of a job; its reconciles are one after the other. */
  private static final class Memory {
    private Instant notBefore = Instant.EPOCH;
    private String said = "";
    private final Map<String, Instant> asked = new HashMap<>();

    /** By number of a spare that was requested and that the watch does not show yet. */
    private final Map<Integer, Instant> requested = new HashMap<>();

    private final Set<String> there = new HashSet<>();

    /**
     * A spare that Rekindle did not delete was preempted. A new one, created at once, would take
     * the room of the pod that preempted it and is not scheduled yet.
     */
    private void sees(List<SpareView> spares, Instant now) {
      Set<String> uids = spares.stream().map(SpareView::uid).collect(Collectors.toSet());
      if (there.stream().anyMatch(uid -> !uids.contains(uid) && !asked.containsKey(uid))) {
        notBefore = now.plus(FEWER);
      }
      there.clear();
      there.addAll(uids);
      spares.stream().filter(s -> !s.terminating()).forEach(s -> requested.remove(s.slot()));
      requested.values().removeIf(at -> at.isAfter(now) || at.plus(SHOWN_WITHIN).isBefore(now));
    }

    /** Where the clock was set back, the pause may be far ahead. */
    private boolean pauses(Instant now) {
      return now.isBefore(notBefore) && !now.plus(IN_VAIN).isBefore(notBefore);
    }

    private boolean asks(String what, Instant now) {
      asked.values().removeIf(at -> at.isAfter(now) || at.plus(SHOWN_WITHIN).isBefore(now));
      return asked.putIfAbsent(what, now) == null;
    }
  }

  /** Takes what it reads from and acts through. */
  public SpareKeeper(
      ClusterState state, ClusterGateway gateway, Metrics metrics, InstantSource clock) {
    this.state = state;
    this.gateway = gateway;
    this.metrics = metrics;
    this.clock = clock;
  }

  /** Reconciles the spares of a job; says when to do so again, if nothing changes before. */
  public Optional<Duration> look(JobKey key) {
    List<SpareView> spares = state.spares(key);
    Optional<JobView> found = state.job(key);
    if (spares.isEmpty() && found.filter(j -> j.spares().count() > 0).isEmpty()) {
      memories.remove(key);
      return Optional.empty();
    }
    Memory memory = memories.computeIfAbsent(key, _ -> new Memory());
    Optional<RuledJob> ruled = found.map(job -> RuledJob.of(state, job));
    Policy policy = ruled.map(RuledJob::policy).orElse(Policy.DEFAULT);
    Instant now = clock.instant();
    SpareSnapshot s = snapshot(key, ruled.map(RuledJob::job).orElse(null), spares, now);
    memory.sees(spares, now);
    for (SpareDecision.Removal removal : SpareDecision.removals(s, policy, now)) {
      remove(key, removal, memory, now);
    }
    if (s.job() == null) {
      return spares.isEmpty() ? Optional.empty() : Optional.of(UNSETTLED);
    }
    String wanting = SpareDecision.wanting(s, policy);
    OptionalInt slot = SpareDecision.next(s, policy, now);
    if (slot.isPresent() && !memory.pauses(now)) {
      wanting = create(s.job(), s, slot.getAsInt(), policy, memory, now);
    } else if (slot.isPresent()) {
      wanting = memory.said;
    }
    say(s.job(), wanting, memory);
    return again(s, policy);
  }

  private SpareSnapshot snapshot(
      JobKey key, @Nullable JobView job, List<SpareView> spares, Instant now) {
    Map<String, NodeView> nodes = new HashMap<>();
    List<FaultView> faults = new ArrayList<>();
    for (SpareView spare : spares) {
      if (state.node(spare.node()).isPresent() && !nodes.containsKey(spare.node())) {
        nodes.put(spare.node(), state.node(spare.node()).orElseThrow());
        faults.addAll(NodeFacts.faults(state, spare.node(), now));
      }
    }
    List<PodView> pods =
        job == null
            ? List.of()
            : state.pods(key).stream().filter(p -> p.jobUid().equals(job.uid())).toList();
    return new SpareSnapshot(
        job, pods, spares, inNamespace(key), recovery(key, job), nodes, faults);
  }

  /** The oldest first, so that all jobs of the namespace agree on which are too many. */
  private List<String> inNamespace(JobKey key) {
    return state.spares().stream()
        .filter(spare -> spare.job().namespace().equals(key.namespace()))
        .filter(spare -> !SpareDecision.isLost(spare, state.node(spare.node()).orElse(null)))
        .sorted(Comparator.comparing(SpareView::created).thenComparing(SpareView::name))
        .map(SpareView::uid)
        .toList();
  }

  private @Nullable RecoveryPhase recovery(JobKey key, @Nullable JobView job) {
    RecoveryView open =
        state.recoveries(key).stream()
            .filter(RecoveryView::open)
            .filter(r -> job == null || r.spec().jobUid().equals(job.uid()))
            .findFirst()
            .orElse(null);
    if (open == null) {
      return null;
    }
    RecoveryStatus status = open.status();
    return status == null || status.phase() == null ? RecoveryPhase.DETECTED : status.phase();
  }

  private void remove(JobKey key, SpareDecision.Removal removal, Memory memory, Instant now) {
    SpareView spare = removal.spare();
    if (removal.inVain()) {
      memory.notBefore = now.plus(IN_VAIN);
    }
    if (!memory.asks(spare.uid(), now)) {
      return;
    }
    try {
      gateway.removeSpare(key, spare.name(), spare.uid());
    } catch (RefusedException | UnavailableException | StaleException failed) {
      LOG.atWarn()
          .addKeyValue(LogKey.JOB.key(), key)
          .addKeyValue(LogKey.ERROR.key(), String.valueOf(failed.getMessage()))
          .log("Cannot remove a warm spare");
      return;
    }
    metrics.spare("removed");
    gateway.recordEvent(
        new ClusterEvent(
            key,
            spare.jobUid(),
            Reason.SPARE_REMOVED,
            "warm spare %s%s: %s"
                .formatted(
                    spare.name(),
                    spare.node().isEmpty() ? "" : " on " + spare.node(),
                    removal.why()),
            spare.node()));
  }

  /** Returns what is wanting for it, for people; empty where it is made. */
  private String create(
      JobView job, SpareSnapshot s, int slot, Policy policy, Memory memory, Instant now) {
    Optional<Replica> replica =
        job.replicas().stream().filter(r -> r.type().equals(job.spares().replica())).findFirst();
    List<String> nodes =
        replica
            .map(r -> SpareNodes.choose(gang(job, s, now), r, nodesOf(s), policy.topologyKeys()))
            .orElse(List.of());
    if (nodes.isEmpty()) {
      memory.notBefore = now.plus(FEWER);
      return "no node has room for a spare of type %s beside what is there"
          .formatted(job.spares().replica());
    }
    List<String> hostnames =
        nodes.stream().map(n -> state.node(n).map(NodeView::hostname).orElse(n)).toList();
    // Numbers of spares that are lost with their nodes are free again while the one made in place
    // of them is not shown yet: a second one would be one too many.
    if (!memory.requested.isEmpty()) {
      return memory.said;
    }
    memory.requested.put(slot, now);
    try {
      gateway.addSpare(
          job.key(),
          job.uid(),
          new SpareOrder(slot, job.spares().replica(), job.spares().template(), hostnames));
    } catch (RefusedException refused) {
      memory.notBefore = now.plus(IN_VAIN);
      notMade(job.key(), refused);
      return "the API server refuses the spare: " + refused.text();
    } catch (UnavailableException | StaleException failed) {
      memory.notBefore = now.plus(TROUBLE);
      notMade(job.key(), failed);
      return memory.said;
    } finally {
      // The call may have taken longer than a watch does after it.
      memory.requested.put(slot, clock.instant());
    }
    metrics.spare("created");
    gateway.recordEvent(
        new ClusterEvent(
            job.key(),
            job.uid(),
            Reason.SPARE_CREATED,
            "warm spare %d may go to %s".formatted(slot, String.join(", ", nodes)),
            ""));
    return "";
  }

  private static void notMade(JobKey key, RuntimeException error) {
    LOG.atWarn()
        .addKeyValue(LogKey.JOB.key(), key)
        .addKeyValue(LogKey.ERROR.key(), String.valueOf(error.getMessage()))
        .log("Cannot make a warm spare");
  }

  private static List<String> nodesOf(SpareSnapshot s) {
    return s.spares().stream().map(SpareView::node).filter(n -> !n.isEmpty()).toList();
  }

  /** With what pods and spares of all jobs hold; a fault counts as for the node's own verdict. */
  private Gang gang(JobView job, SpareSnapshot s, Instant now) {
    Map<String, NodeView> nodes = new HashMap<>();
    Map<String, Long> gpus = new HashMap<>();
    Map<String, Amounts> held = new HashMap<>();
    List<String> faulty = new ArrayList<>();
    for (NodeView node : state.nodes()) {
      nodes.put(node.name(), node);
      for (PodView pod : state.podsOn(node.name())) {
        if (pod.live()) {
          gpus.merge(node.name(), pod.gpus(), Long::sum);
          held.merge(node.name(), pod.requests(), Amounts::plus);
        }
      }
      if (NodeFacts.faults(state, node.name(), now).stream().anyMatch(FaultView::fences)) {
        faulty.add(node.name());
      }
    }
    for (SpareView spare : state.spares()) {
      if (spare.holdsRoom()) {
        gpus.merge(spare.node(), spare.gpus(), Long::sum);
        held.merge(spare.node(), spare.requests(), Amounts::plus);
      }
    }
    return new Gang(job, s.pods(), faulty, nodes, List.of(), gpus, held, List.of());
  }

  private void say(JobView job, String wanting, Memory memory) {
    if (!wanting.isEmpty() && !wanting.equals(memory.said)) {
      gateway.recordEvent(
          new ClusterEvent(job.key(), job.uid(), Reason.SPARE_WANTING, wanting, ""));
    }
    memory.said = wanting;
  }

  private static Optional<Duration> again(SpareSnapshot s, Policy policy) {
    boolean unsettled =
        s.spares().stream()
                .filter(spare -> !SpareDecision.isLost(spare, s.nodes().get(spare.node())))
                .anyMatch(spare -> spare.node().isEmpty() || spare.terminating())
            || (!s.spares().isEmpty() && s.pods().stream().anyMatch(p -> p.node().isEmpty()));
    if (unsettled) {
      return Optional.of(UNSETTLED);
    }
    return SpareDecision.counted(s) < SpareDecision.allowance(s.job(), policy).count()
        ? Optional.of(FEWER)
        : Optional.empty();
  }
}
