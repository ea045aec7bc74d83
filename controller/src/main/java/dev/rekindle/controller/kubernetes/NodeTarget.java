package dev.rekindle.controller.kubernetes;

import dev.rekindle.controller.cache.Table;
import dev.rekindle.controller.model.Annotations;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.detect.ApiTime;
import io.fabric8.kubernetes.api.model.Node;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The state of a node on which a change of it depends.
 *
 * @param version the version that the change is to meet; names one state of one object, so that a
 *     node created again under the same name is met by none
 * @param unschedulable whether it is cordoned, by anybody
 * @param marked whether it carries our mark
 * @param incidents as our annotation on it has them, else empty
 * @param fencedFor as our annotation on it has it, else empty
 * @param stalls as our annotation on it has it, else empty
 * @param uid its UID, empty when unknown
 * @param created when it was created, by the clock of the API server; absent when unknown
 */
record NodeTarget(
    String name,
    String version,
    boolean unschedulable,
    boolean marked,
    String incidents,
    String fencedFor,
    String stalls,
    String uid,
    @Nullable Instant created) {

  /** Whether it was there at that time, as far as is known: it is not a later one of its name. */
  boolean was(Instant then) {
    return created == null || !created.isAfter(then);
  }

  /** As the API server shows it. */
  static NodeTarget read(Node node) {
    Map<String, String> annotations =
        Objects.requireNonNullElse(node.getMetadata().getAnnotations(), Map.of());
    return new NodeTarget(
        node.getMetadata().getName(),
        node.getMetadata().getResourceVersion(),
        Boolean.TRUE.equals(node.getSpec().getUnschedulable()),
        annotations.containsKey(Annotations.FENCED_BY),
        annotations.getOrDefault(Annotations.INCIDENTS, ""),
        annotations.getOrDefault(Annotations.FENCED_FOR, ""),
        annotations.getOrDefault(Annotations.STALLS, ""),
        Objects.requireNonNullElse(node.getMetadata().getUid(), ""),
        ApiTime.parse(node.getMetadata().getCreationTimestamp()));
  }

  static NodeTarget seen(Table.Versioned<NodeView> seen) {
    NodeView node = seen.value();
    return new NodeTarget(
        node.name(),
        seen.resourceVersion(),
        node.unschedulable(),
        node.fencedByUs(),
        node.incidents(),
        node.fencedFor(),
        node.stalls(),
        node.uid(),
        node.created());
  }
}
