package dev.rekindle.detect.fault;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.NodeFaultStatus.State;
import dev.rekindle.detect.ApiErrors;
import dev.rekindle.logging.LogKey;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes observations as NodeFault objects, and clears them. The first observation creates the
 * object; a repeat counts in its status. A storm of one fault costs one write a second: repeats in
 * between are counted with the next, but for one that fences more strongly. (A crash in that second
 * loses those counts, never the fault.)
 *
 * <p>What the API server refuses to this agent is set aside and retried later: one fault that may
 * not be written must not keep the next ones from being read.
 */
public final class FaultWriter {
  /** Between two writes of one fault. */
  public static final Duration REPEAT = Duration.ofSeconds(1);

  /** Faults of one node; what floods the log with made-up ones is not followed further. */
  static final int MOST = 512;

  /** More of them that fence. */
  static final int MORE_THAT_FENCE = 128;

  private static final int CLEARANCES = 64;
  private static final Duration CLEAR_AGAIN = Duration.ofSeconds(30);
  private static final Logger LOG = LoggerFactory.getLogger(FaultWriter.class);

  private final FaultStore store;
  private final InstantSource clock;
  private final FaultMetrics metrics;
  private final Supplier<String> nodeUid;
  private final FaultObjects objects;
  private final Map<String, FaultBuffer> faults = new TreeMap<>();
  private final Deque<FaultResolution> clearances = new ArrayDeque<>();
  private @Nullable Instant clearFailing;
  private Instant clearNext = Instant.MIN;
  private volatile int aside;

  /** A writer that has written nothing yet, on a node whose UID is not known. */
  public FaultWriter(FaultStore store, InstantSource clock, FaultMetrics metrics) {
    this(store, clock, metrics, () -> "");
  }

  /**
   * A writer that has written nothing yet.
   *
   * @param nodeUid UID of the Node that this process runs on, empty while it is not known
   */
  public FaultWriter(
      FaultStore store, InstantSource clock, FaultMetrics metrics, Supplier<String> nodeUid) {
    this.store = store;
    this.clock = clock;
    this.metrics = metrics;
    this.nodeUid = nodeUid;
    this.objects = new FaultObjects(store, nodeUid);
  }

  /**
   * Takes an observation.
   *
   * @throws KubernetesClientException when it cannot be written now; it is to be offered again
   */
  public synchronized void write(FaultObservation observation) {
    var name = observation.name();
    var known = faults.get(name);
    if (known == null && isTooMany(observation)) {
      return;
    }
    var pending = known == null ? new FaultBuffer() : known;
    if (pending.hasCounted(observation)) {
      return;
    }
    faults.put(name, pending);
    var waiting = pending.draft();
    var draft = waiting == null ? FaultAggregate.of(observation) : waiting.and(observation);
    if (!pending.isAside() && (pending.isDue(clock) || pending.isRaisedBy(observation))) {
      deliver(name, pending, draft);
    } else {
      pending.hold(draft);
    }
  }

  /** How many faults and clearances were refused and are tried again; from any thread. */
  public int aside() {
    return aside;
  }

  /** Whether {@link #flush} has, or will have, something to write. */
  public synchronized boolean hasWaiting() {
    return !clearances.isEmpty()
        || faults.values().stream().anyMatch(pending -> pending.draft() != null);
  }

  private boolean isTooMany(FaultObservation observation) {
    var fences = observation.fault().fence() == FenceGuidance.ALWAYS;
    if (faults.size() < (fences ? MOST + MORE_THAT_FENCE : MOST)) {
      return false;
    }
    metrics.dropped(observation.fault().code());
    LOG.atWarn()
        .addKeyValue(LogKey.FAULT.key(), observation.name())
        .addKeyValue(LogKey.COUNT.key(), faults.size())
        .log("Too many NodeFaults on this node; fault dropped");
    return true;
  }

  /**
   * Clears the faults it covers that were last seen before it. To be offered again when it throws;
   * once is as good as twice.
   *
   * @throws KubernetesClientException when it cannot be written now
   */
  public synchronized void clear(FaultResolution clearance) {
    // What waits was seen before: written later it would make the fault stand again.
    faults.forEach(
        (name, pending) -> {
          var draft = pending.draft();
          if (draft != null && covers(clearance, draft.last().fault())) {
            if (!pending.isAside()) {
              deliver(name, pending, draft);
            }
            if (pending.isAside()) {
              pending.forget();
            }
          }
        });
    count();
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

  private void setAside(FaultResolution clearance, KubernetesClientException refusal) {
    if (clearances.size() >= CLEARANCES) {
      clearances.removeFirst();
    }
    clearances.addLast(clearance);
    clearNext = clock.instant().plus(CLEAR_AGAIN);
    count();
    LOG.atError()
        .addKeyValue(LogKey.COMPONENT.key(), clearance.componentId())
        .addKeyValue(LogKey.ERROR.key(), ApiErrors.describe(refusal))
        .log("Clearing NodeFaults refused; retrying in the background");
  }

  private void count() {
    aside = clearances.size() + (int) faults.values().stream().filter(FaultBuffer::isAside).count();
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

  private static boolean covers(FaultResolution clearance, NodeFaultSpec fault) {
    return fault.node().equals(clearance.node())
        && clearance.covers(fault.componentType(), fault.componentId(), fault.code());
  }

  /** Whether it was seen before the clearance, and not cleared yet. */
  private static boolean stands(NodeFault fault, FaultResolution clearance) {
    var status = fault.getStatus();
    if (status != null && status.state() == State.CLEARED) {
      return false;
    }
    var seen = status == null ? fault.getSpec().firstSeen() : status.lastSeen();
    return seen == null || !seen.isAfter(clearance.time());
  }

  private void clear(NodeFault fault, FaultResolution clearance) {
    fault.setStatus(FaultState.of(fault).cleared(clearance.by(), clearance.time()).status());
    try {
      store.updateStatus(fault);
    } catch (KubernetesClientException e) {
      metrics.writeFailed("NodeFault");
      throw e;
    }
    var pending = faults.get(fault.getMetadata().getName());
    if (pending != null) {
      pending.cleared();
    }
    LOG.atInfo()
        .addKeyValue(LogKey.FAULT.key(), fault.getMetadata().getName())
        .addKeyValue(LogKey.BY.key(), clearance.by())
        .log("NodeFault cleared");
  }

  /** Writes what waits or was set aside; called now and then. What fails is retried later. */
  public synchronized void flush() {
    if (flushFaults() && !clearances.isEmpty() && !clock.instant().isBefore(clearNext)) {
      var clearance = clearances.removeFirst();
      try {
        clear(clearance);
      } catch (KubernetesClientException e) {
        setAside(clearance, e);
      }
    }
    count();
  }

  /** False where a call got no answer: each of the others would wait as long for none. */
  private boolean flushFaults() {
    for (var fault : faults.entrySet()) {
      var pending = fault.getValue();
      var draft = pending.draft();
      if (draft != null && pending.isToBeWritten(clock)) {
        try {
          deliver(fault.getKey(), pending, draft);
        } catch (KubernetesClientException e) {
          pending.postpone(clock);
          if (ApiErrors.status(e) == 0) {
            return false;
          }
        }
      }
    }
    return true;
  }

  private void deliver(String name, FaultBuffer pending, FaultAggregate draft) {
    var last = draft.last();
    var spec = draft.worst().fault();
    var sequence = last.sequence();
    try {
      var stored = objects.stored(name, pending, draft);
      if (FaultContents.isOfAnother(stored, draft, nodeUid.get())) {
        stored = objects.replaced(stored, draft);
      }
      var before = stored.getStatus();
      if (before != null && FaultContents.isCounted(before, last)) {
        pending.delivered(last, before.lastSequence(), stored.getSpec().fence(), clock);
        return;
      }
      stored = objects.raised(stored, draft);
      spec = stored.getSpec();
      stored.setStatus(FaultContents.status(before, draft));
      sequence = stored.getStatus().lastSequence();
      store.updateStatus(stored);
    } catch (KubernetesClientException e) {
      metrics.writeFailed("NodeFault");
      switch (Refusal.of(e, pending.failed(clock))) {
        case LATER -> throw e;
        case ASIDE -> {
          setAside(name, pending, draft, e);
          return;
        }
        case FOR_GOOD -> metrics.dropped(last.fault().code());
      }
      LOG.atError()
          .addKeyValue(LogKey.FAULT.key(), name)
          .addKeyValue(LogKey.ERROR.key(), e.getMessage())
          .log("NodeFault rejected by the API server; dropped");
    }
    metrics.fault(last.fault().code(), draft.count());
    pending.delivered(last, sequence, spec.fence(), clock);
  }

  private void setAside(
      String name, FaultBuffer pending, FaultAggregate draft, KubernetesClientException refusal) {
    var refusals = pending.setAside(draft, clock);
    count();
    if (Integer.bitCount(refusals) == 1) {
      LOG.atError()
          .addKeyValue(LogKey.FAULT.key(), name)
          .addKeyValue(LogKey.FENCE.key(), draft.worst().fault().fence())
          .addKeyValue(LogKey.TIMES.key(), refusals)
          .addKeyValue(LogKey.ERROR.key(), ApiErrors.describe(refusal))
          .log("NodeFault write refused; retrying in the background");
    }
  }
}
