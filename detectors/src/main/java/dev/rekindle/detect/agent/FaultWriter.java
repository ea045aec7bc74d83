package dev.rekindle.detect.agent;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultStatus;
import dev.rekindle.api.NodeFaultStatus.State;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes sightings as NodeFault objects. The first creates the object; a repeat counts in its
 * status. A storm of one fault costs one write a second: repeats in between are counted with the
 * next. (A crash in that second loses those counts, never the fault.)
 */
final class FaultWriter {
  static final Duration REPEAT = Duration.ofSeconds(1);
  private static final Logger LOG = LoggerFactory.getLogger(FaultWriter.class);

  private final KubernetesClient client;
  private final InstantSource clock;
  private final AgentMetrics metrics;
  private final Map<String, Pending> faults = new HashMap<>();

  FaultWriter(KubernetesClient client, InstantSource clock, AgentMetrics metrics) {
    this.client = client;
    this.clock = clock;
    this.metrics = metrics;
  }

  /**
   * Takes a sighting.
   *
   * @throws KubernetesClientException when it cannot be written now; it is to be offered again
   */
  synchronized void write(FaultSighting sighting) {
    var name = sighting.name();
    var pending = faults.get(name);
    if (pending != null && !pending.isDue(clock)) {
      pending.add(sighting);
      return;
    }
    if (pending == null) {
      pending = new Pending();
    }
    pending.add(sighting);
    try {
      deliver(name, pending);
    } catch (KubernetesClientException e) {
      pending.takeBack(sighting);
      throw e;
    }
    faults.put(name, pending);
  }

  /** Writes repeats that wait; called now and then. A failure is tried again with the next call. */
  synchronized void flush() {
    faults.forEach(
        (name, pending) -> {
          if (pending.count > 0 && pending.isDue(clock)) {
            try {
              deliver(name, pending);
            } catch (KubernetesClientException e) {
              metrics.writeFailed("NodeFault");
            }
          }
        });
  }

  private void deliver(String name, Pending pending) {
    var sighting = pending.last();
    try {
      var stored = client.resources(NodeFault.class).withName(name).get();
      if (stored == null) {
        stored = create(name, pending.first());
      }
      var before = stored.getStatus();
      var sameBoot = before != null && before.bootId().equals(sighting.fault().bootId());
      if (before != null && sameBoot && sighting.sequence() <= before.lastSequence()) {
        pending.delivered(clock); // Replayed, and counted before.
        return;
      }
      stored.setStatus(
          new NodeFaultStatus(
              State.ACTIVE,
              (before == null ? 0 : before.count()) + pending.count,
              sighting.time(),
              sighting.fault().bootId(),
              sighting.sequence(),
              sighting.fault().evidence()));
      client.resource(stored).updateStatus();
    } catch (KubernetesClientException e) {
      metrics.writeFailed("NodeFault");
      if (!isRefused(e)) {
        throw e;
      }
      LOG.atError()
          .addKeyValue("fault", name)
          .addKeyValue("error", e.getMessage())
          .log("The API server refuses this fault for good; it is dropped");
    }
    metrics.fault(sighting.fault().code(), pending.count);
    pending.delivered(clock);
  }

  private NodeFault create(String name, FaultSighting first) {
    var fault = new NodeFault();
    fault.setMetadata(new ObjectMetaBuilder().withName(name).build());
    fault.setSpec(first.fault());
    var created = client.resource(fault).create();
    LOG.atWarn()
        .addKeyValue("node", first.fault().node())
        .addKeyValue("code", first.fault().code())
        .addKeyValue("component", first.fault().componentId())
        .addKeyValue("fence", first.fault().fence())
        .addKeyValue("sequence", first.sequence())
        .log("A fault of this node was reported");
    return created;
  }

  /** Whether trying again cannot help: the object itself is not accepted. */
  private static boolean isRefused(KubernetesClientException e) {
    return e.getCode() == 400 || e.getCode() == 422;
  }
}
