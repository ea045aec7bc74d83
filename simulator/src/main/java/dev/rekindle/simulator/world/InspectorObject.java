package dev.rekindle.simulator.world;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.simulator.api.ApiObject;
import dev.rekindle.simulator.api.Meta;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A checkpoint inspector: a Kubernetes Job and its pods, as one.
 *
 * @param meta metadata; owned by the training job
 * @param job the training job
 * @param scanning since when it scans; absent before, and where it scans nodes one by one
 * @param nodes nodes whose own files it scans; empty where all nodes reach the same
 * @param away nodes of the gang that it does not scan
 * @param scanningOn node to the time since when its pod there scans
 * @param volume nodes that its one pod may be on, as they reach what it scans; empty for any
 */
public record InspectorObject(
    Meta meta,
    JobKey job,
    @Nullable Instant scanning,
    List<String> nodes,
    List<String> away,
    Map<String, Instant> scanningOn,
    List<String> volume)
    implements ApiObject<InspectorObject> {
  public InspectorObject {
    nodes = List.copyOf(nodes);
    away = List.copyOf(away);
    scanningOn = Map.copyOf(scanningOn);
    volume = List.copyOf(volume);
  }

  /** One with one pod, which has yet to start. */
  public InspectorObject(Meta meta, JobKey job) {
    this(meta, job, null, List.of(), List.of(), Map.of(), List.of());
  }

  /** One with a pod on each of these nodes. */
  public InspectorObject(Meta meta, JobKey job, List<String> nodes, List<String> away) {
    this(meta, job, null, nodes, away, Map.of(), List.of());
  }

  /** One with one pod, which goes to one of these nodes. */
  public static InspectorObject onVolume(Meta meta, JobKey job, List<String> volume) {
    return new InspectorObject(meta, job, null, List.of(), List.of(), Map.of(), volume);
  }

  /** The same before any of its pods has started. */
  InspectorObject waiting() {
    return new InspectorObject(meta, job, null, nodes, away, Map.of(), volume);
  }

  @Override
  public InspectorObject with(Meta newMeta) {
    return new InspectorObject(newMeta, job, scanning, nodes, away, scanningOn, volume);
  }

  InspectorObject since(Instant now) {
    return new InspectorObject(meta, job, now, nodes, away, scanningOn, volume);
  }

  InspectorObject since(String node, Instant now) {
    Map<String, Instant> next = new TreeMap<>(scanningOn);
    next.put(node, now);
    return new InspectorObject(meta, job, scanning, nodes, away, next, volume);
  }
}
