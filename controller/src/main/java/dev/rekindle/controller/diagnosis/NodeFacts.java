package dev.rekindle.controller.diagnosis;

import dev.rekindle.controller.diagnosis.NodeSnapshot.Tenant;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.FenceQuota;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.policy.RuledJob;
import dev.rekindle.controller.port.ClusterState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads what a verdict on a node depends on. */
public final class NodeFacts {
  private NodeFacts() {}

  /** Everything about the node, as last seen. */
  public static NodeSnapshot of(ClusterState state, String node, Instant now) {
    List<Tenant> tenants =
        state.podsOn(node).stream()
            .filter(PodView::live)
            .map(PodView::job)
            .distinct()
            .flatMap(key -> state.job(key).stream())
            .filter(job -> state.podsOn(node).stream().anyMatch(p -> p.jobUid().equals(job.uid())))
            .map(job -> RuledJob.of(state, job))
            .map(ruled -> new Tenant(ruled.job(), ruled.policy()))
            .toList();
    return of(state, node, tenants, now);
  }

  private static NodeSnapshot of(
      ClusterState state, String node, List<Tenant> tenants, Instant now) {
    Optional<NodeView> present = state.node(node);
    // A node that was deleted and made again under its name answers for none of the old one's.
    List<FaultView> faults =
        state.faults(node).stream()
            .filter(f -> present.isEmpty() || f.isOf(present.get()))
            .toList();
    List<FaultView> elsewhere =
        faults.stream()
            .filter(FaultAssessor::byPrograms)
            .map(FaultView::code)
            .distinct()
            .flatMap(code -> state.faultsOfCode(code).stream())
            .filter(f -> !f.node().equals(node))
            .map(f -> believed(state, f))
            .toList();
    boolean quota =
        faults.stream().anyMatch(FaultAssessor::byPrograms)
            || present.filter(n -> !n.stalls().isEmpty()).isPresent();
    return new NodeSnapshot(
        present.orElse(null),
        faults,
        elsewhere,
        tenants,
        quota ? FenceQuota.fenced(state.nodes(), now) : Map.of());
  }

  /**
   * The fault of another node, with the victims that can have been there. Who fails elsewhere as
   * well excuses a device: an agent that lies must not name whom it likes. (Of its own node it
   * might as well say nothing.)
   */
  private static FaultView believed(ClusterState state, FaultView fault) {
    return fault.incidents().stream().allMatch(i -> state.knowsVictim(fault.node(), i))
        ? fault
        : fault.withIncidents(
            fault.incidents().stream()
                .map(i -> state.knowsVictim(fault.node(), i) ? i : i.withoutVictim())
                .toList());
  }

  /** The faults of a node, weighed as its own verdict weighs them. */
  public static List<FaultView> faults(ClusterState state, String node, Instant now) {
    return state.faults(node).isEmpty()
        ? List.of()
        : NodeVerdicts.weigh(of(state, node, List.of(), now), RuledJob.ofNodes(state), now);
  }
}
