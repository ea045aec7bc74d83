package dev.rekindle.detect.fault;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.detect.ApiErrors;
import dev.rekindle.logging.LogKey;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
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

  private static final Logger LOG = LoggerFactory.getLogger(FaultWriter.class);

  private final InstantSource clock;
  private final FaultMetrics metrics;
  private final FaultDelivery delivery;
  private final FaultClearing clearing;
  private final Map<String, FaultBuffer> faults = new TreeMap<>();
  private volatile int aside;

  /**
   * A writer that has written nothing yet.
   *
   * @param clock never steps
   * @param wall the clock of what is stored
   * @param nodeUid UID of the Node that this process runs on, empty while it is not known
   */
  public FaultWriter(
      FaultStore store,
      InstantSource clock,
      InstantSource wall,
      FaultMetrics metrics,
      Supplier<String> nodeUid) {
    this.clock = clock;
    this.metrics = metrics;
    this.delivery = new FaultDelivery(store, clock, wall, metrics, nodeUid);
    this.clearing = new FaultClearing(store, clock, wall, metrics, this::cleared);
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
    return clearing.aside() > 0
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
          if (draft != null && FaultClearing.covers(clearance, draft.last().fault())) {
            if (!pending.isAside()) {
              deliver(name, pending, draft);
            }
            if (pending.isAside()) {
              pending.forget();
            }
          }
        });
    count();
    clearing.clear(clearance);
    count();
  }

  private void deliver(String name, FaultBuffer pending, FaultAggregate draft) {
    delivery.deliver(name, pending, draft);
    if (pending.isAside()) {
      count();
    }
  }

  private void cleared(String name) {
    var pending = faults.get(name);
    if (pending != null) {
      pending.cleared();
    }
  }

  private void count() {
    aside = clearing.aside() + (int) faults.values().stream().filter(FaultBuffer::isAside).count();
  }

  /** Writes what waits or was set aside; called now and then. What fails is retried later. */
  public synchronized void flush() {
    if (flushFaults()) {
      clearing.due().ifPresent(this::clearAgain);
    }
    count();
  }

  private void clearAgain(FaultResolution clearance) {
    try {
      clear(clearance);
    } catch (KubernetesClientException e) {
      clearing.setAside(clearance, e);
    }
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
}
