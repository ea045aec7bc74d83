package dev.rekindle.controller.recovery;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.cluster.ClusterState;
import dev.rekindle.controller.cluster.FaultView;
import dev.rekindle.controller.cluster.JobView;
import dev.rekindle.controller.cluster.NodeView;
import dev.rekindle.controller.cluster.PodView;
import dev.rekindle.controller.cluster.Policy;
import dev.rekindle.controller.cluster.RankView;
import dev.rekindle.controller.cluster.RecoveryView;
import dev.rekindle.controller.policy.RuledJob;
import dev.rekindle.controller.verdict.JobSnapshot;
import dev.rekindle.controller.verdict.NodeFacts;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the views say of exactly one job: of its UID, not of its name. */
final class JobFacts {
  private final ClusterState state;
  private final InstantSource clock;

  JobFacts(ClusterState state, InstantSource clock) {
    this.state = state;
    this.clock = clock;
  }

  /** The job of a recovery; empty when it is gone or another one has its name. */
  Optional<JobView> jobOf(RecoveryView recovery) {
    return state
        .job(recovery.job())
        .filter(j -> j.uid().equals(recovery.spec().jobUid()))
        .map(j -> RuledJob.of(state, j).job());
  }

  /** The policy that holds for the job. */
  Policy policyOf(JobView job) {
    return RuledJob.of(state, job).policy();
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
    Map<String, String> nodes =
        pods.stream().collect(Collectors.toMap(PodView::uid, PodView::node, (a, _) -> a));
    return state.ranks(job.key()).stream()
        .filter(r -> r.node().equals(nodes.get(r.podUid())))
        .toList();
  }

  /** Faults on the nodes of the pods and on those that the recovery blames. */
  List<FaultView> faultsOn(List<PodView> pods, RecoveryView recovery) {
    RecoveryStatus status = recovery.status();
    Stream<String> blamed =
        status == null || status.cause() == null
            ? Stream.empty()
            : status.cause().faultyNodes().stream();
    return faultsOn(Stream.concat(pods.stream().map(PodView::node), blamed));
  }

  /** Faults, weighed: so that a recovery fences what the node's own verdict does not lift. */
  private List<FaultView> faultsOn(Stream<String> nodes) {
    Instant now = clock.instant();
    return nodes
        .filter(n -> !n.isEmpty())
        .distinct()
        .flatMap(n -> NodeFacts.faults(state, n, now).stream())
        .toList();
  }

  /** All that a verdict on the job looks at. */
  JobSnapshot snapshot(JobView job) {
    List<PodView> pods = podsOf(job);
    Map<String, NodeView> nodes = new HashMap<>();
    for (PodView pod : pods) {
      state.node(pod.node()).ifPresent(n -> nodes.put(n.name(), n));
    }
    List<FaultView> faults = faultsOn(pods.stream().map(PodView::node));
    return new JobSnapshot(job, pods, nodes, faults, ranksOf(job, pods), recoveriesOf(job));
  }
}
