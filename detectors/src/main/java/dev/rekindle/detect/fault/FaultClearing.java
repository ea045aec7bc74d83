package dev.rekindle.detect.fault;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultStatus.State;
import dev.rekindle.detect.ApiErrors;
import dev.rekindle.logging.LogKey;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Clears NodeFaults that are stored. What the API server refuses to this agent is set aside and
 * retried later.
 */
final class FaultClearing {
  private static final int CLEARANCES = 64;
  private static final Duration CLEAR_AGAIN = Duration.ofSeconds(30);
  private static final Logger LOG = LoggerFactory.getLogger(FaultClearing.class);

  private final FaultStore store;
  private final InstantSource clock;
  private final InstantSource wall;
  private final FaultMetrics metrics;
  private final Consumer<String> cleared;
  private final Deque<FaultResolution> clearances = new ArrayDeque<>();
  private @Nullable Instant clearFailing;
  private Instant clearNext = Instant.MIN;

  /**
   * Nothing is to be cleared yet.
   *
   * @param clock never steps
   * @param wall the clock of what is stored
   * @param cleared takes the name of each fault that was cleared
   */
  FaultClearing(
      FaultStore store,
      InstantSource clock,
      InstantSource wall,
      FaultMetrics metrics,
      Consumer<String> cleared) {
    this.store = store;
    this.clock = clock;
    this.wall = wall;
    this.metrics = metrics;
    this.cleared = cleared;
  }

  /** How many resolutions were refused and are tried again. */
  int aside() {
    return clearances.size();
  }

  /**
   * Clears the faults it covers that were last seen before it.
   *
   * @throws KubernetesClientException when they cannot be cleared now
   */
  void clear(FaultResolution clearance) {
    try {
      clearStored(clearance);
      clearFailing = null;
    } catch (KubernetesClientException e) {
      var now = clock.instant();
      var since = clearFailing == null || now.isBefore(clearFailing) ? now : clearFailing;
      clearFailing = since;
      if (Refusal.of(e, Duration.between(since, now)) == Refusal.LATER) {
        throw e;
      }
      setAside(clearance, e);
    }
  }

  /** Takes the oldest one that was set aside, where it is time to try again. */
  Optional<FaultResolution> due() {
    return clearances.isEmpty() || clock.instant().isBefore(clearNext)
        ? Optional.empty()
        : Optional.of(clearances.removeFirst());
  }

  /** Keeps it to be tried again; of too many the oldest is dropped. */
  void setAside(FaultResolution clearance, KubernetesClientException refusal) {
    if (clearances.size() >= CLEARANCES) {
      clearances.removeFirst();
    }
    clearances.addLast(clearance);
    clearNext = clock.instant().plus(CLEAR_AGAIN);
    LOG.atError()
        .addKeyValue(LogKey.COMPONENT.key(), clearance.componentId())
        .addKeyValue(LogKey.ERROR.key(), ApiErrors.describe(refusal))
        .log("Clearing NodeFaults refused; retrying in the background");
  }

  private void clearStored(FaultResolution clearance) {
    for (var fault : store.ofNode(clearance.node())) {
      if (fault.getSpec() != null
          && covers(clearance, fault.getSpec())
          && stands(fault, clearance)) {
        clear(fault, clearance);
      }
    }
  }

  /** Whether the fault is one of those that it clears. */
  static boolean covers(FaultResolution clearance, NodeFaultSpec fault) {
    return fault.node().equals(clearance.node())
        && clearance.covers(fault.componentType(), fault.componentId(), fault.code());
  }

  /** Whether it was seen before the clearance, and not cleared yet. */
  private boolean stands(NodeFault fault, FaultResolution clearance) {
    var status = fault.getStatus();
    if (status != null && (status.state() == State.CLEARED || clearance.isBefore(status))) {
      return false;
    }
    var seen = status == null ? fault.getSpec().firstSeen() : status.lastSeen();
    // One of the future was seen before the clock was set back.
    return seen == null || !seen.isAfter(clearance.time()) || seen.isAfter(wall.instant());
  }

  private void clear(NodeFault fault, FaultResolution clearance) {
    fault.setStatus(FaultState.of(fault).cleared(clearance.by(), clearance.time()).status());
    try {
      store.updateStatus(fault);
    } catch (KubernetesClientException e) {
      metrics.writeFailed("NodeFault");
      throw e;
    }
    cleared.accept(fault.getMetadata().getName());
    LOG.atInfo()
        .addKeyValue(LogKey.FAULT.key(), fault.getMetadata().getName())
        .addKeyValue(LogKey.BY.key(), clearance.by())
        .log("NodeFault cleared");
  }
}
