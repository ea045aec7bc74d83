package dev.rekindle.controller.nodehealth;

import dev.rekindle.controller.fencing.NodeWrites;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.policy.RuledJob;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.controller.runtime.Reconciler;
import dev.rekindle.detect.fault.AffectedPod;
import dev.rekindle.detect.fault.FaultObservation;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Reads one node for what Kubernetes itself shows of its health, and writes that down as
 * NodeFaults. What it remembers, since when a sign without a time of its own stands, only delays: a
 * new leader waits again.
 */
public final class NodeHealthReconciler implements Reconciler<String> {
  private final ClusterState state;
  private final ClusterGateway gateway;
  private final InstantSource clock;
  private final FormerNodes former;
  private final NodeWrites writes;
  private final Map<String, Map<String, Instant>> firstSeen = new ConcurrentHashMap<>();

  /** Takes what it reads from, what it acts through and the clock. */
  public NodeHealthReconciler(
      ClusterState state, ClusterGateway gateway, InstantSource clock, NodeWrites writes) {
    this.writes = writes;
    this.state = state;
    this.gateway = gateway;
    this.clock = clock;
    this.former = new FormerNodes(state, gateway);
  }

  /** The types of conditions that mean anything under a policy. */
  public static Predicate<String> conditions(Policy policy) {
    return ConditionRules.of(policy.nodeConditions())::knows;
  }

  @Override
  public Optional<Duration> reconcile(String name) {
    Optional<NodeView> node = state.node(name);
    Optional<Duration> departed = former.reconcile(name, node, clock.instant());
    if (node.isEmpty()) {
      firstSeen.remove(name);
      return departed;
    }
    Policy policy = RuledJob.ofNodes(state);
    NodeHealthSnapshot snapshot = snapshot(node.get());
    Instant now = clock.instant();
    List<NodeSymptom> signs = NodeSymptoms.of(snapshot, policy);
    FaultDiff.Plan plan = decide(snapshot, policy, signs, remember(name, signs, now), now);
    // One that is refused keeps no other waiting.
    plan.edits()
        .forEach(
            edit -> {
              var _ = writes.ask(name, edit.toPeople(), () -> carryOut(edit, snapshot, policy));
            });
    return Stream.of(plan.again(), departed, writes.again(name))
        .flatMap(Optional::stream)
        .min(Duration::compareTo);
  }

  private static FaultDiff.Plan decide(
      NodeHealthSnapshot snapshot,
      Policy policy,
      List<NodeSymptom> signs,
      Map<String, Instant> firstSeen,
      Instant now) {
    return FaultDiff.decide(
        signs,
        snapshot.faults(),
        fault -> NodeSymptoms.undecided(snapshot, policy, fault),
        firstSeen,
        now);
  }

  private void carryOut(Edit edit, NodeHealthSnapshot snapshot, Policy policy) {
    switch (edit) {
      case Edit.Raise raise ->
          gateway.raise(
              new FaultObservation(
                  raise.fault().onNode(snapshot.node().uid()),
                  FaultObservation.NO_SEQUENCE,
                  raise.seen(),
                  raise.author(),
                  victim(raise.fault().componentId(), snapshot.pods())));
      case Edit.Clear(String fault, String by) -> {
        requireCleared(edit, snapshot, policy);
        gateway.clear(fault, by);
      }
    }
  }

  /**
   * A watch that is behind shows a node from before its fault, and the fence would be lifted: what
   * the API server has now decides.
   */
  private void requireCleared(Edit edit, NodeHealthSnapshot seen, Policy policy) {
    Instant now = clock.instant();
    boolean cleared =
        gateway
            .liveNode(seen.node().name(), conditions(policy))
            .filter(live -> live.uid().equals(seen.node().uid()))
            .map(seen::with)
            .map(s -> decide(s, policy, NodeSymptoms.of(s, policy), Map.of(), now))
            .filter(plan -> plan.edits().contains(edit))
            .isPresent();
    if (!cleared) {
      throw new StaleException("the watch of node " + seen.node().name() + " is behind");
    }
  }

  /** The pod that shows the device as unhealthy. */
  private static AffectedPod victim(String device, List<PodView> pods) {
    return pods.stream()
        .filter(pod -> pod.devices().unhealthy().stream().anyMatch(d -> d.id().equals(device)))
        .map(pod -> new AffectedPod(pod.job().namespace(), pod.name(), pod.jobUid()))
        .findFirst()
        .orElse(AffectedPod.UNKNOWN);
  }

  private Map<String, Instant> remember(String node, List<NodeSymptom> signs, Instant now) {
    if (signs.isEmpty()) {
      firstSeen.remove(node);
      return Map.of();
    }
    Map<String, Instant> before = firstSeen.getOrDefault(node, Map.of());
    Map<String, Instant> next = new HashMap<>();
    signs.forEach(sign -> next.put(sign.name(), before.getOrDefault(sign.name(), now)));
    firstSeen.put(node, Map.copyOf(next));
    return next;
  }

  private NodeHealthSnapshot snapshot(NodeView node) {
    List<PodView> pods =
        state.podsOn(node.name()).stream().filter(p -> p.live() && optedIn(p)).toList();
    List<FaultView> faults = state.faults(node.name()).stream().filter(f -> f.isOf(node)).toList();
    return new NodeHealthSnapshot(
        node, pods, state.dra(node.name()), state.ascend(node.name()), faults);
  }

  private boolean optedIn(PodView pod) {
    return state
        .job(pod.job())
        .filter(job -> job.uid().equals(pod.jobUid()))
        .filter(job -> job.optIn() instanceof JobView.OptIn.Yes)
        .isPresent();
  }
}
