package dev.rekindle.controller.nodehealth;

import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterState;
import dev.rekindle.logging.LogKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the NodeFaults of Nodes that are no more: those of an earlier Node of the name at once,
 * those of a name that no Node has after a while. (No owner reference does it: an agent that lives
 * through the exchange of its Node would name the old one for a while, and what it writes would be
 * collected though it stands.)
 */
final class FormerNodes {
  /** A Node that comes back within this time is seen with what it had. */
  static final Duration ABSENT = Duration.ofHours(1);

  private static final Logger LOG = LoggerFactory.getLogger(FormerNodes.class);

  private final ClusterState state;
  private final ClusterGateway gateway;

  /** Since when this process sees no Node of the name; a new leader waits again. */
  private final Map<String, Instant> absent = new ConcurrentHashMap<>();

  FormerNodes(ClusterState state, ClusterGateway gateway) {
    this.state = state;
    this.gateway = gateway;
  }

  /** Reconciles one name; says after how long to reconcile it again. */
  Optional<Duration> reconcile(String name, Optional<NodeView> present, Instant now) {
    List<FaultView> faults = state.faults(name);
    if (present.isPresent() || faults.isEmpty()) {
      absent.remove(name);
      List<FaultView> former = faults.stream().filter(f -> !f.isOf(present.orElseThrow())).toList();
      return former.isEmpty() || forgotten(former) ? Optional.empty() : Optional.of(ABSENT);
    }
    // A clock that was set back makes it later by no more than the time itself.
    Instant since = absent.merge(name, now, (a, b) -> a.isAfter(b) ? b : a);
    Duration left = ABSENT.minus(Duration.between(since, now));
    if (left.isPositive()) {
      return Optional.of(left);
    }
    return forgotten(faults) ? Optional.empty() : Optional.of(ABSENT);
  }

  private boolean forgotten(List<FaultView> faults) {
    try {
      faults.forEach(f -> gateway.forget(f.name(), f.nodeUid()));
      return true;
    } catch (ClusterGateway.CallException | ClusterGateway.StaleException notNow) {
      LOG.atWarn()
          .addKeyValue(LogKey.NODE.key(), faults.getFirst().node())
          .addKeyValue(LogKey.ERROR.key(), notNow.getMessage())
          .log("Cannot delete the NodeFaults of a deleted Node; ignoring them");
      return false;
    }
  }
}
