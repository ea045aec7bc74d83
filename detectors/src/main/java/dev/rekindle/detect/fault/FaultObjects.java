package dev.rekindle.detect.fault;

import dev.rekindle.api.NodeFault;
import dev.rekindle.logging.LogKey;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.time.Instant;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** NodeFaults as the API server has them: created, with another spec, or without their history. */
final class FaultObjects {
  private static final Logger LOG = LoggerFactory.getLogger(FaultObjects.class);

  private final FaultStore store;
  private final Supplier<String> nodeUid;

  FaultObjects(FaultStore store, Supplier<String> nodeUid) {
    this.store = store;
    this.nodeUid = nodeUid;
  }

  /** The object as it is stored; created if there is none. */
  NodeFault stored(String name, FaultBuffer pending, FaultAggregate draft) {
    // Most that this process meets first are new: in a storm that is a call less before a cordon.
    if (pending.isNew()) {
      try {
        return create(name, draft);
      } catch (KubernetesClientException e) {
        if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
          throw e;
        }
      }
    }
    var stored = store.get(name);
    return stored == null ? create(name, draft) : stored;
  }

  /** The object with no history but the draft's. */
  NodeFault replaced(NodeFault stored, FaultAggregate draft) {
    stored.setSpec(draft.first().fault().onNode(nodeUid.get()));
    var updated = store.update(stored);
    updated.setStatus(null);
    return updated;
  }

  /**
   * The object with what the draft says of fencing, where that is more, or is all there is.
   *
   * @param now on the wall clock
   */
  NodeFault raised(NodeFault stored, FaultAggregate draft, Instant now) {
    var spec = stored.getSpec();
    var raised = FaultContents.raised(stored, draft, now);
    if (raised.isEmpty()) {
      return stored;
    }
    stored.setSpec(raised.get());
    var updated = store.update(stored);
    LOG.atWarn()
        .addKeyValue(LogKey.FAULT.key(), stored.getMetadata().getName())
        .addKeyValue(LogKey.BEFORE.key(), spec.fence())
        .addKeyValue(LogKey.FENCE.key(), raised.get().fence())
        .addKeyValue(LogKey.EVIDENCE.key(), raised.get().evidence())
        .log("Fence guidance of a NodeFault changed");
    return updated;
  }

  private NodeFault create(String name, FaultAggregate draft) {
    var first = draft.first();
    var fault = new NodeFault();
    fault.setMetadata(
        new ObjectMetaBuilder()
            .withName(name)
            .addToLabels(FaultName.NODE_LABEL, FaultName.label(first.fault().node()))
            .build());
    fault.setSpec(first.fault().onNode(nodeUid.get()));
    var created = store.create(fault);
    LOG.atWarn()
        .addKeyValue(LogKey.NODE.key(), first.fault().node())
        .addKeyValue(LogKey.CODE.key(), first.fault().code())
        .addKeyValue(LogKey.COMPONENT.key(), first.fault().componentId())
        .addKeyValue(LogKey.FENCE.key(), first.fault().fence())
        .addKeyValue(LogKey.SEQUENCE.key(), first.sequence())
        .log("NodeFault written");
    return created;
  }
}
