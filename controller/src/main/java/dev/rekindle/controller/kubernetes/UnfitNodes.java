package dev.rekindle.controller.kubernetes;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.diagnosis.NodeFacts;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.placement.Exclusions;
import dev.rekindle.controller.port.ClusterState;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The nodes that a recovery still holds for faulty or silent. */
public final class UnfitNodes {
  private final ClusterState state;
  private final InstantSource clock;

  /**
   * @param state what is known of them
   * @param clock the time
   */
  public UnfitNodes(ClusterState state, InstantSource clock) {
    this.state = state;
    this.clock = clock;
  }

  /** Their host names. */
  List<String> hostnames(JobKey key, String recovery) {
    return of(key, recovery).stream()
        .map(node -> state.node(node).map(NodeView::hostname).orElse(node))
        .toList();
  }

  /** Their names, sorted. */
  public List<String> of(JobKey key, String recovery) {
    return state.recoveries(key).stream()
        .filter(r -> r.name().equals(recovery))
        .map(RecoveryView::status)
        .filter(Objects::nonNull)
        .map(RecoveryStatus::cause)
        .filter(Objects::nonNull)
        .flatMap(cause -> excluded(cause).stream())
        .distinct()
        .sorted()
        .toList();
  }

  private List<String> excluded(RecoveryStatus.Cause cause) {
    Map<String, NodeView> nodes = new HashMap<>();
    cause.silentNodes().forEach(n -> state.node(n).ifPresent(view -> nodes.put(n, view)));
    // As they are judged: what a reboot has cleared keeps no inspector from the only copy.
    Instant now = clock.instant();
    List<FaultView> faults =
        cause.faultyNodes().stream()
            .flatMap(n -> NodeFacts.faults(state, n, now).stream())
            .toList();
    return Exclusions.of(cause, nodes, faults);
  }
}
