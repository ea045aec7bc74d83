package dev.rekindle.controller.fencing;

import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.controller.telemetry.Metrics;
import dev.rekindle.logging.LogKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Events on faulty nodes that are left as they are, each one once an hour. */
final class NodeEvents {
  private static final Logger LOG = LoggerFactory.getLogger(NodeEvents.class);

  static final Duration SAY_AGAIN = Duration.ofHours(1);
  private final ClusterState state;
  private final ClusterGateway gateway;
  private final Metrics metrics;
  private final Map<String, Said> said = new ConcurrentHashMap<>();
  private final Map<String, Instant> floods = new ConcurrentHashMap<>();

  /** What was last said about a node, so that it is not said in every reconcile. */
  private record Said(Reason reason, String about, Instant at) {}

  NodeEvents(ClusterState state, ClusterGateway gateway, Metrics metrics) {
    this.state = state;
    this.gateway = gateway;
    this.metrics = metrics;
  }

  /** What was said of the node does not count any more. */
  void forget(String name) {
    said.remove(name);
  }

  /** Says that the node has more faults than are judged. */
  void sayOfFlood(String name, Instant now) {
    int leftOut = state.faultsLeftOut(name);
    if (leftOut == 0) {
      floods.remove(name);
      return;
    }
    Instant last = floods.get(name);
    if (last == null || Duration.between(last, now).abs().compareTo(SAY_AGAIN) >= 0) {
      floods.put(name, now);
      String note =
          "%d NodeFaults of the node are decided at, and %d or more are not; delete those that are"
                  .formatted(state.faults(name).size(), leftOut)
              + " not its own: kubectl get nodefaults";
      LOG.atWarn()
          .addKeyValue(LogKey.NODE.key(), name)
          .addKeyValue(LogKey.REASON.key(), Reason.TOO_MANY_FAULTS.word())
          .addKeyValue(LogKey.DETAIL.key(), note)
          .log("Too many NodeFaults on a node; some are not decided at");
      metrics.nodes().unfenced(Reason.TOO_MANY_FAULTS);
      gateway.recordEvent(ClusterEvent.onNode(name, Reason.TOO_MANY_FAULTS, note));
    }
  }

  /** Says why the node is left as it is, unless that was said within the hour. */
  void say(String name, Reason reason, String about, String note, Instant now) {
    Said last = said.get(name);
    if (last == null
        || last.reason() != reason
        || !last.about().equals(about)
        || !last.at().plus(SAY_AGAIN).isAfter(now)) {
      said.put(name, new Said(reason, about, now));
      LOG.atWarn()
          .addKeyValue(LogKey.NODE.key(), name)
          .addKeyValue(LogKey.REASON.key(), reason.word())
          .addKeyValue(LogKey.DETAIL.key(), note)
          .log("Event on a node");
      metrics.nodes().unfenced(reason);
      gateway.recordEvent(ClusterEvent.onNode(name, reason, note));
    }
  }
}
