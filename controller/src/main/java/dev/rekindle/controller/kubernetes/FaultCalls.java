package dev.rekindle.controller.kubernetes;

import dev.rekindle.api.NodeFault;
import dev.rekindle.detect.fault.FaultObservation;
import dev.rekindle.detect.fault.FaultState;
import dev.rekindle.logging.LogKey;
import io.fabric8.kubernetes.api.model.DeleteOptionsBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes the NodeFaults of the controller's own detectors. */
final class FaultCalls {
  private static final Logger LOG = LoggerFactory.getLogger(FaultCalls.class);

  private final KubernetesClient client;
  private final ApiCalls api;
  private final InstantSource clock;

  FaultCalls(KubernetesClient client, ApiCalls api, InstantSource clock) {
    this.client = client;
    this.api = api;
    this.clock = clock;
  }

  void raise(FaultObservation observation) {
    api.change(() -> tryRaise(observation));
  }

  private void tryRaise(FaultObservation observation) {
    NodeFault stored = get(observation.name()).orElseGet(() -> createOrGet(observation));
    write(stored, FaultState.of(stored).found(observation));
  }

  /** Makes only those calls that change something. */
  private void write(NodeFault stored, FaultState next) {
    NodeFault fault = stored;
    if (!next.spec().equals(stored.getSpec())) {
      fault.setSpec(next.spec());
      fault = update(fault);
    }
    if (!Objects.equals(next.status(), stored.getStatus())) {
      fault.setStatus(next.status());
      NodeFault changed = fault;
      var _ = api.answer(() -> client.resource(changed).updateStatus());
    }
  }

  private NodeFault createOrGet(FaultObservation observation) {
    NodeFault fault = new NodeFault();
    // Without the label by which agents find what they may clear: these are not theirs.
    fault.setMetadata(new ObjectMetaBuilder().withName(observation.name()).build());
    fault.setSpec(observation.fault());
    try {
      NodeFault created = api.answer(() -> client.resource(fault).create());
      LOG.atWarn()
          .addKeyValue(LogKey.NODE.key(), observation.fault().node())
          .addKeyValue(LogKey.CODE.key(), observation.fault().code())
          .addKeyValue(LogKey.FENCE.key(), observation.fault().fence())
          .addKeyValue(LogKey.EVIDENCE.key(), observation.fault().evidence())
          .log("NodeFault created");
      return created;
    } catch (KubernetesClientException error) {
      if (error.getCode() != HttpURLConnection.HTTP_CONFLICT) {
        throw error;
      }
      // Another leader was faster; should the object be gone again, the change is tried again.
      return get(observation.name()).orElseThrow(() -> error);
    }
  }

  private NodeFault update(NodeFault fault) {
    return api.answer(() -> client.resource(fault).update());
  }

  void clear(String name, String by) {
    api.change(() -> tryClear(name, by));
  }

  private void tryClear(String name, String by) {
    Optional<NodeFault> found = get(name).filter(f -> f.getSpec().detector().equals(by));
    if (found.isEmpty()) {
      return;
    }
    FaultState before = FaultState.of(found.get());
    FaultState after = before.cleared(by, clock.instant());
    if (after.equals(before)) {
      return;
    }
    write(found.get(), after);
    LOG.atInfo()
        .addKeyValue(LogKey.FAULT.key(), name)
        .addKeyValue(LogKey.BY.key(), by)
        .log("NodeFault cleared");
  }

  void forget(String name, String nodeUid) {
    api.change(() -> tryForget(name, nodeUid));
  }

  private void tryForget(String name, String nodeUid) {
    Optional<NodeFault> found = get(name).filter(f -> f.getSpec().nodeUid().equals(nodeUid));
    if (found.isEmpty()) {
      return;
    }
    ObjectMeta meta = found.get().getMetadata();
    // What writes of it meanwhile has seen it on the present Node.
    var options =
        new DeleteOptionsBuilder()
            .withApiVersion("v1")
            .withKind("DeleteOptions")
            .withNewPreconditions()
            .withUid(meta.getUid())
            .withResourceVersion(meta.getResourceVersion())
            .endPreconditions()
            .build();
    String path = "/apis/rekindle.dev/v1alpha1/nodefaults/" + name;
    var _ =
        api.answer(
            () -> {
              client.raw(path, "DELETE", options);
              return name;
            });
    LOG.atInfo().addKeyValue(LogKey.FAULT.key(), name).log("NodeFault of a deleted Node deleted");
  }

  private Optional<NodeFault> get(String name) {
    return api.find(() -> client.resources(NodeFault.class).withName(name).get())
        .filter(fault -> fault.getSpec() != null);
  }
}
