package dev.rekindle.controller.fencing;

import dev.rekindle.controller.diagnosis.NodeVerdict;
import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.FenceLimit;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterGateway.BreakerFullException;
import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.controller.telemetry.Metrics;
import dev.rekindle.logging.LogKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Places the fence of a node that is faulty, and lifts it when the node is well again. */
final class FencePlacement {
  private static final Logger LOG = LoggerFactory.getLogger(FencePlacement.class);

  /** A full breaker is retried after a pause: somebody must release a node, or a cache catch up. */
  private static final Duration BREAKER_FULL = Duration.ofSeconds(15);

  /** How soon a watch shows a cordon that was placed; until then it is not placed again. */
  private static final Duration SEEN_SOON = Duration.ofSeconds(2);

  private static final Duration UNTIL_SEEN = Duration.ofMillis(100);

  private final ClusterState state;
  private final ClusterGateway gateway;
  private final Metrics metrics;
  private final NodeWrites writes;
  private final NodeEvents events;
  private final Map<String, Instant> placed = new ConcurrentHashMap<>();

  FencePlacement(
      ClusterState state,
      ClusterGateway gateway,
      Metrics metrics,
      NodeWrites writes,
      NodeEvents events) {
    this.state = state;
    this.gateway = gateway;
    this.metrics = metrics;
    this.writes = writes;
    this.events = events;
  }

  /** The Node is gone: another one of its name is fenced on its own account. */
  void forget(String name) {
    placed.remove(name);
  }

  /** Fences a node where the breaker has room; says when to try again. */
  Optional<Duration> place(String name, NodeVerdict.Fence fence, Instant now) {
    // The agent continues writing of its fault: in a storm every further reconcile would be a call.
    Instant before = placed.get(name);
    if (before != null && Duration.between(before, now).abs().compareTo(SEEN_SOON) < 0) {
      return Optional.of(UNTIL_SEEN);
    }
    Collection<NodeView> nodes = state.nodes();
    FenceLimit limit = FenceLimit.of(fence.policy(), nodes, name, fence.namespaces(), now);
    Set<String> fenced =
        nodes.stream()
            .filter(NodeView::fencedByUs)
            .map(NodeView::name)
            .collect(Collectors.toUnmodifiableSet());
    Optional<String> passed = limit.passed(fenced, name);
    if (passed.isPresent()) {
      return full(name, "would pass the limit of " + passed.get(), now);
    }
    String by = "fault/" + fence.fault().name();
    AtomicBoolean cordoned = new AtomicBoolean();
    try {
      var _ =
          writes.ask(
              name, "cordon", () -> cordoned.set(gateway.cordon(name, by, fence.reason(), limit)));
    } catch (BreakerFullException full) {
      return full(name, String.valueOf(full.getMessage()), now);
    }
    if (cordoned.get()) {
      placed.put(name, now);
      events.forget(name);
      LOG.atInfo()
          .addKeyValue(LogKey.NODE.key(), name)
          .addKeyValue(LogKey.FAULT.key(), fence.fault().name())
          .addKeyValue(LogKey.DETAIL.key(), fence.reason())
          .log("Node fenced");
      metrics.nodes().fenced();
      gateway.recordEvent(ClusterEvent.onNode(name, Reason.NODE_FENCED, fence.reason()));
    }
    return Optional.empty();
  }

  private Optional<Duration> full(String name, String why, Instant now) {
    events.say(name, Reason.BREAKER_OPEN, "", why + "; release one or raise the limit", now);
    return Optional.of(BREAKER_FULL);
  }

  /** Lifts the fence of a node. */
  Optional<Duration> release(String name, String why) {
    String by = state.node(name).map(NodeView::fencedBy).orElse("");
    if (!writes.ask(name, "uncordon", () -> gateway.release(name))) {
      return Optional.empty();
    }
    LOG.atInfo()
        .addKeyValue(LogKey.NODE.key(), name)
        .addKeyValue(LogKey.BY.key(), by)
        .addKeyValue(LogKey.DETAIL.key(), why)
        .log("Node released");
    events.forget(name);
    placed.remove(name);
    gateway.recordEvent(
        ClusterEvent.onNode(name, Reason.NODE_RELEASED, why + "; it was fenced by " + by));
    return Optional.empty();
  }
}
