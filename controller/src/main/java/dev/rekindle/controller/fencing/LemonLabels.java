package dev.rekindle.controller.fencing;

import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.NamedStalls;
import dev.rekindle.controller.model.NodeIncidentHistory;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.controller.telemetry.Metrics;
import dev.rekindle.logging.LogKey;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Marks nodes that had repeated incidents, and unmarks them once these are long ago. */
final class LemonLabels {
  private static final Logger LOG = LoggerFactory.getLogger(LemonLabels.class);

  private final ClusterState state;
  private final ClusterGateway gateway;
  private final Metrics metrics;
  private final NodeWrites writes;

  LemonLabels(ClusterState state, ClusterGateway gateway, Metrics metrics, NodeWrites writes) {
    this.state = state;
    this.gateway = gateway;
    this.metrics = metrics;
    this.writes = writes;
  }

  /** Marks or unmarks a node; says whether it is a lemon. */
  boolean mark(String name, Instant now) {
    Optional<NodeView> node = state.node(name);
    boolean again = node.filter(n -> NodeIncidentHistory.lemon(n.incidents(), now)).isPresent();
    boolean named = node.filter(n -> NamedStalls.parse(n.stalls()).lemon(now)).isPresent();
    boolean lemon = again || named;
    if (node.isPresent() && node.get().lemon() != lemon) {
      boolean marked = writes.ask(name, "mark as a lemon", () -> gateway.markLemon(name, lemon));
      if (lemon && marked) {
        String why =
            again
                ? "repeated incidents: "
                    + NodeIncidentHistory.parse(node.get().incidents()).format()
                : "jobs in different places waited for ranks on it: "
                    + NamedStalls.parse(node.get().stalls()).format();
        LOG.atWarn()
            .addKeyValue(LogKey.NODE.key(), name)
            .addKeyValue(LogKey.DETAIL.key(), why)
            .log("Node marked as a lemon");
        metrics.nodes().lemon();
        gateway.recordEvent(ClusterEvent.onNode(name, Reason.LEMON, why));
      }
    }
    return lemon;
  }
}
