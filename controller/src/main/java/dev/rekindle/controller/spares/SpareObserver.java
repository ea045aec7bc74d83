package dev.rekindle.controller.spares;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.diagnosis.NodeFacts;
import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeUse;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.model.SpareView;
import dev.rekindle.controller.placement.Gang;
import dev.rekindle.controller.port.ClusterState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Puts together what decisions on the spares of a job depend on. */
final class SpareObserver {
  private final ClusterState state;

  SpareObserver(ClusterState state) {
    this.state = state;
  }

  /** The spares of a job, and what they depend on, now. */
  SpareSnapshot snapshot(JobKey key, @Nullable JobView job, List<SpareView> spares, Instant now) {
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

  /** With what pods and spares of all jobs hold; a fault counts as for the node's own verdict. */
  Gang gang(JobView job, SpareSnapshot s, Instant now) {
    Map<String, NodeView> nodes = new HashMap<>();
    Map<String, Long> gpus = new HashMap<>();
    Map<String, Amounts> held = new HashMap<>();
    List<String> faulty = new ArrayList<>();
    Map<String, NodeUse> used = state.used();
    for (NodeView node : state.nodes()) {
      nodes.put(node.name(), node);
      NodeUse use = used.get(node.name());
      if (use != null) {
        gpus.put(node.name(), use.gpus());
        held.put(node.name(), use.requests());
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
}
