package dev.rekindle.controller.kubernetes;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultStatus;
import dev.rekindle.api.NodeFaultStatus.Incident;
import dev.rekindle.api.NodeFaultStatus.State;
import dev.rekindle.detect.fault.Sighting;
import io.fabric8.kubernetes.api.model.DeleteOptionsBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
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

  void raise(Sighting sighting) {
    api.change(() -> tryRaise(sighting));
  }

  private void tryRaise(Sighting sighting) {
    NodeFaultSpec spec = sighting.fault();
    NodeFault stored = get(sighting.name()).orElseGet(() -> createOrGet(sighting));
    if (isOfAnother(stored.getSpec(), spec)) {
      stored.setSpec(spec);
      stored = update(stored);
      stored.setStatus(null);
    }
    if (!stored.getSpec().detector().equals(spec.detector())) {
      return;
    }
    if (stored.getSpec().fence() != spec.fence()) {
      stored.setSpec(with(stored.getSpec(), spec));
      stored = update(stored);
    }
    NodeFaultStatus before = stored.getStatus();
    if (before != null && before.state() == State.ACTIVE && !isLater(sighting, before)) {
      return;
    }
    stored.setStatus(again(before, sighting));
    NodeFault next = stored;
    var _ = api.answer(() -> client.resource(next).updateStatus());
  }

  /** Whether it is of an earlier Node of the name: its history is not this one's. */
  private static boolean isOfAnother(NodeFaultSpec before, NodeFaultSpec now) {
    return !before.nodeUid().isEmpty()
        && !now.nodeUid().isEmpty()
        && !before.nodeUid().equals(now.nodeUid());
  }

  private static boolean isLater(Sighting sighting, NodeFaultStatus before) {
    Instant last = before.lastSeen();
    return last != null && sighting.time().isAfter(last);
  }

  private NodeFault createOrGet(Sighting sighting) {
    NodeFault fault = new NodeFault();
    // Without the label by which agents find what they may clear: these are not theirs.
    fault.setMetadata(new ObjectMetaBuilder().withName(sighting.name()).build());
    fault.setSpec(sighting.fault());
    try {
      NodeFault created = api.answer(() -> client.resource(fault).create());
      LOG.atWarn()
          .addKeyValue("node", sighting.fault().node())
          .addKeyValue("code", sighting.fault().code())
          .addKeyValue("fence", sighting.fault().fence())
          .addKeyValue("evidence", sighting.fault().evidence())
          .log("A fault of a node was found");
      return created;
    } catch (KubernetesClientException error) {
      if (error.getCode() != HttpURLConnection.HTTP_CONFLICT) {
        throw error;
      }
      // Another leader was faster; should the object be gone again, the change is tried anew.
      return get(sighting.name()).orElseThrow(() -> error);
    }
  }

  private NodeFault update(NodeFault fault) {
    return api.answer(() -> client.resource(fault).update());
  }

  /** What it is stays; what follows from it is the newest. */
  private static NodeFaultSpec with(NodeFaultSpec before, NodeFaultSpec now) {
    return new NodeFaultSpec(
        before.node(),
        before.componentType(),
        before.componentId(),
        before.code(),
        before.detector(),
        now.fence(),
        now.action(),
        before.bootId(),
        before.firstSeen(),
        now.evidence(),
        before.nodeUid().isEmpty() ? now.nodeUid() : before.nodeUid());
  }

  private static NodeFaultStatus again(@Nullable NodeFaultStatus before, Sighting sighting) {
    Incident incident =
        new Incident(
            sighting.time(),
            sighting.time(),
            1,
            sighting.unit(),
            sighting.victim().namespace(),
            sighting.victim().pod(),
            sighting.victim().jobUid(),
            sighting.fault().bootId());
    List<Incident> incidents = before == null ? List.of() : before.incidents();
    return new NodeFaultStatus(
        State.ACTIVE,
        (before == null ? 0 : before.count()) + 1,
        sighting.time(),
        sighting.fault().bootId(),
        sighting.sequence(),
        sighting.fault().evidence(),
        Stream.concat(incidents.stream(), Stream.of(incident)).toList(),
        "",
        null);
  }

  void clear(String name, String by) {
    api.change(() -> tryClear(name, by));
  }

  private void tryClear(String name, String by) {
    Optional<NodeFault> found = get(name).filter(f -> f.getSpec().detector().equals(by));
    if (found.isEmpty()) {
      return;
    }
    NodeFault fault = found.get();
    NodeFaultSpec spec = fault.getSpec();
    NodeFaultStatus before = fault.getStatus();
    if (before != null && before.state() == State.CLEARED) {
      return;
    }
    fault.setStatus(
        new NodeFaultStatus(
            State.CLEARED,
            before == null ? 1 : before.count(),
            before == null ? spec.firstSeen() : before.lastSeen(),
            before == null ? spec.bootId() : before.bootId(),
            before == null ? Sighting.NO_SEQUENCE : before.lastSequence(),
            before == null ? spec.evidence() : before.lastEvidence(),
            before == null ? List.of() : before.incidents(),
            by,
            clock.instant()));
    var _ = api.answer(() -> client.resource(fault).updateStatus());
    LOG.atInfo().addKeyValue("fault", name).addKeyValue("by", by).log("A fault is over");
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
    LOG.atInfo().addKeyValue("fault", name).log("A fault of a Node that is no more is deleted");
  }

  private Optional<NodeFault> get(String name) {
    return api.find(() -> client.resources(NodeFault.class).withName(name).get())
        .filter(fault -> fault.getSpec() != null);
  }
}
