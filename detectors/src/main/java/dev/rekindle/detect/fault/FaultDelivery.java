package dev.rekindle.detect.fault;

import dev.rekindle.detect.ApiErrors;
import dev.rekindle.logging.LogKey;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.InstantSource;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes the observations of one fault as a NodeFault object. */
final class FaultDelivery {
  private static final Logger LOG = LoggerFactory.getLogger(FaultDelivery.class);

  private final FaultStore store;
  private final InstantSource clock;
  private final InstantSource wall;
  private final FaultMetrics metrics;
  private final Supplier<String> nodeUid;
  private final FaultObjects objects;

  FaultDelivery(
      FaultStore store,
      InstantSource clock,
      InstantSource wall,
      FaultMetrics metrics,
      Supplier<String> nodeUid) {
    this.store = store;
    this.clock = clock;
    this.wall = wall;
    this.metrics = metrics;
    this.nodeUid = nodeUid;
    this.objects = new FaultObjects(store, nodeUid);
  }

  /**
   * Writes them, or sets them aside where the API server refuses that to this agent.
   *
   * @throws KubernetesClientException when they cannot be written now
   */
  void deliver(String name, FaultBuffer pending, FaultAggregate draft) {
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
      var now = wall.instant();
      stored = objects.raised(stored, draft, now);
      spec = stored.getSpec();
      stored.setStatus(FaultContents.status(before, draft, now));
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
