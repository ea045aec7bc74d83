package dev.rekindle.controller.recovery;

import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Plan;
import dev.rekindle.api.StallFinding;
import dev.rekindle.controller.model.NamedStalls;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.detect.stall.StallClass;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.HashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Writes down on nodes that a stall waited for a rank of theirs. */
final class StallNotes {
  private final ClusterState state;
  private final ClusterGateway gateway;
  private final NodeNotes notes;
  private final InstantSource clock;

  StallNotes(ClusterState state, ClusterGateway gateway, NodeNotes notes, InstantSource clock) {
    this.state = state;
    this.gateway = gateway;
    this.notes = notes;
    this.clock = clock;
  }

  /**
   * Marks the nodes that the recovery names and did not name before.
   *
   * @param before its status until now; absent where that is not known
   */
  void record(@Nullable RecoveryStatus before, RecoveryView stored) {
    StallFinding stall = stall(stored.status());
    if (stall == null || stall(before) != null) {
      return;
    }
    // Another leader may write it later, and the node may be another one by then.
    Instant at = Objects.requireNonNullElse(stored.spec().detectedAt(), clock.instant());
    notes.write(
        stored.job(),
        Avoidance.named(stall),
        "note the stall of " + stored.namespace() + "/" + stored.name(),
        node -> gateway.recordStall(node, entry(node, stall, stored, at)));
  }

  private NamedStalls.Entry entry(
      String node, StallFinding stall, RecoveryView stored, Instant now) {
    String recovery = stored.namespace() + "/" + stored.name();
    return new NamedStalls.Entry(
        now,
        recovery,
        stall.stallClass().equals(StallClass.DEVICE_OR_LINK.word()),
        isElsewhere(node, recovery, stored.status(), now));
  }

  /**
   * Whether an earlier stall of a gang that had no other node in common has named the node. Of a
   * gang whose recovery is deleted it is not known where it was.
   */
  private boolean isElsewhere(
      String node, String recovery, @Nullable RecoveryStatus status, Instant now) {
    Set<String> here = gang(node, status);
    return state.node(node).map(n -> NamedStalls.parse(n.stalls())).stream()
        .flatMap(stalls -> stalls.within(NamedStalls.TOGETHER, now).stream())
        .filter(stall -> !stall.recovery().equals(recovery))
        .flatMap(stall -> recovery(stall).stream())
        .map(other -> gang(node, other.status()))
        .anyMatch(
            other -> !other.isEmpty() && !here.isEmpty() && Collections.disjoint(other, here));
  }

  private Optional<RecoveryView> recovery(NamedStalls.Entry stall) {
    return state.recovery(
        stall.namespace(), stall.recovery().substring(stall.namespace().length() + 1));
  }

  /** The other nodes of the gang. */
  private static Set<String> gang(String node, @Nullable RecoveryStatus status) {
    Plan plan = status == null ? null : status.plan();
    if (plan == null) {
      return Set.of();
    }
    Set<String> nodes = new HashSet<>(plan.keptNodes());
    nodes.remove(node);
    return nodes;
  }

  private static @Nullable StallFinding stall(@Nullable RecoveryStatus status) {
    Cause cause = status == null ? null : status.cause();
    return cause == null ? null : cause.stall();
  }
}
