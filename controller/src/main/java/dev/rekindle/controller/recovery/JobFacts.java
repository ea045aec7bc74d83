package dev.rekindle.controller.recovery;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.diagnosis.JobSnapshot;
import dev.rekindle.controller.diagnosis.NodeFacts;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.placement.Exclusions;
import dev.rekindle.controller.policy.RuledJob;
import dev.rekindle.controller.port.ClusterState;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What the views say of exactly one job: of its UID, not of its name. */
final class JobFacts {
  private final ClusterState state;
  private final InstantSource clock;

  JobFacts(ClusterState state, InstantSource clock) {
    this.state = state;
    this.clock = clock;
  }

  /**
   * The job of a recovery under its policy; empty when it is gone or another one has its name. Both
   * are of one moment: what a policy allows goes with its limits.
   */
  Optional<RuledJob> jobOf(RecoveryView recovery) {
    return state
        .job(recovery.job())
        .filter(j -> j.uid().equals(recovery.spec().jobUid()))
        .map(j -> RuledJob.of(state, j));
  }

  List<PodView> podsOf(JobView job) {
    return state.pods(job.key()).stream().filter(p -> p.jobUid().equals(job.uid())).toList();
  }

  /** Nodes of its pods, sorted. */
  List<String> nodesOf(JobView job) {
    return podsOf(job).stream()
        .map(PodView::node)
        .filter(n -> !n.isEmpty())
        .distinct()
        .sorted()
        .toList();
  }

  List<RecoveryView> recoveriesOf(JobView job) {
    return state.recoveries(job.key()).stream()
        .filter(r -> r.spec().jobUid().equals(job.uid()))
        .toList();
  }

  /**
   * Reports on present pods, from the agent of the node that the pod is on: no agent speaks for
   * another's pods.
   */
  List<RankView> ranksOf(JobView job, List<PodView> pods) {
    List<RankView> ranks = state.ranks(job.key());
    if (ranks.isEmpty() || pods.isEmpty()) {
      return List.of();
    }
    Map<String, String> nodes = new HashMap<>();
    pods.forEach(pod -> nodes.putIfAbsent(pod.uid(), pod.node()));
    return ranks.stream().filter(r -> r.node().equals(nodes.get(r.podUid()))).toList();
  }

  /** Faults on the nodes of the pods, and on those that the recovery blames, or plans for. */
  List<FaultView> faultsOn(List<PodView> pods, RecoveryView recovery) {
    return faultsOn(nodesOf(pods, recovery));
  }

  /**
   * Active faults on all other nodes, so that none is chosen that is faulty: it is not fenced where
   * the breaker is open, say. Those of a node that takes no pods are not weighed.
   *
   * @param nodes all nodes by name
   */
  List<FaultView> faultsElsewhere(
      List<PodView> pods, RecoveryView recovery, Map<String, NodeView> nodes) {
    Set<String> known = nodesOf(pods, recovery);
    Instant now = clock.instant();
    List<FaultView> faults = new ArrayList<>();
    for (String name : state.nodesWithFaults()) {
      NodeView node = nodes.get(name);
      if (node != null && !known.contains(name)) {
        List<FaultView> there =
            Exclusions.takesPods(node) ? NodeFacts.faults(state, name, now) : state.faults(name);
        there.stream().filter(f -> f.active() && f.isOf(node)).forEach(faults::add);
      }
    }
    return List.copyOf(faults);
  }

  private static Set<String> nodesOf(List<PodView> pods, RecoveryView recovery) {
    Set<String> nodes = nodesUnder(pods);
    RecoveryStatus status = recovery.status();
    if (status != null && status.cause() != null) {
      nodes.addAll(status.cause().faultyNodes());
    }
    if (status != null && status.plan() != null && status.plan().placement() != null) {
      nodes.addAll(status.plan().placement().nodes());
    }
    return nodes;
  }

  private static Set<String> nodesUnder(List<PodView> pods) {
    Set<String> nodes = new LinkedHashSet<>();
    pods.forEach(pod -> nodes.add(pod.node()));
    return nodes;
  }

  /** Faults, weighed: so that a recovery fences what the node's own verdict does not lift. */
  private List<FaultView> faultsOn(Set<String> nodes) {
    Instant now = clock.instant();
    List<FaultView> faults = new ArrayList<>();
    for (String node : nodes) {
      if (!node.isEmpty()) {
        faults.addAll(NodeFacts.faults(state, node, now));
      }
    }
    return List.copyOf(faults);
  }

  /** Everything that a verdict on the job depends on. */
  JobSnapshot snapshot(JobView job) {
    List<PodView> pods = podsOf(job);
    Map<String, NodeView> nodes = new HashMap<>();
    for (PodView pod : pods) {
      state.node(pod.node()).ifPresent(n -> nodes.put(n.name(), n));
    }
    List<FaultView> faults = faultsOn(nodesUnder(pods));
    return new JobSnapshot(job, pods, nodes, faults, ranksOf(job, pods), recoveriesOf(job));
  }
}
