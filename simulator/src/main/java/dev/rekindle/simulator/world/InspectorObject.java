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
 */
public record InspectorObject(
    Meta meta,
    JobKey job,
    @Nullable Instant scanning,
    List<String> nodes,
    List<String> away,
    Map<String, Instant> scanningOn)
    implements ApiObject<InspectorObject> {
  public InspectorObject {
    nodes = List.copyOf(nodes);
    away = List.copyOf(away);
    scanningOn = Map.copyOf(scanningOn);
  }

  /** One with one pod, which has yet to start. */
  public InspectorObject(Meta meta, JobKey job) {
    this(meta, job, null, List.of(), List.of(), Map.of());
  }

  /** One with a pod on each of these nodes. */
  public InspectorObject(Meta meta, JobKey job, List<String> nodes, List<String> away) {
    this(meta, job, null, nodes, away, Map.of());
  }

  @Override
  public InspectorObject with(Meta newMeta) {
    return new InspectorObject(newMeta, job, scanning, nodes, away, scanningOn);
  }

  InspectorObject since(Instant now) {
    return new InspectorObject(meta, job, now, nodes, away, scanningOn);
  }

  InspectorObject since(String node, Instant now) {
    Map<String, Instant> next = new TreeMap<>(scanningOn);
    next.put(node, now);
    return new InspectorObject(meta, job, scanning, nodes, away, next);
  }
}
