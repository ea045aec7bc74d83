package dev.rekindle.controller.kubernetes.convert;

import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.Annotations;
import dev.rekindle.controller.model.Labels;
import dev.rekindle.controller.model.NodeRoom;
import dev.rekindle.controller.model.NodeRoom.NodeTaint;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.detect.ApiTime;
import dev.rekindle.detect.node.NodeReading;
import dev.rekindle.detect.node.NodeReadings;
import dev.rekindle.detect.node.NodeSignReader;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Taint;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Reads a Node. Never throws, whatever the object holds. */
public final class NodeReader {
  private NodeReader() {}

  /** The flat view of the node, with all its conditions. */
  public static NodeView read(Node node) {
    return read(node, _ -> true);
  }

  /** The flat view of the node, with its conditions of these types. */
  public static NodeView read(Node node, Predicate<String> conditions) {
    String name = Objects.requireNonNullElse(node.getMetadata().getName(), "");
    Map<String, String> labels = orEmpty(node.getMetadata().getLabels());
    Map<String, String> annotations = orEmpty(node.getMetadata().getAnnotations());
    NodeReading reading = NodeReadings.read(node);
    return new NodeView(
        name,
        labels.getOrDefault(Labels.HOSTNAME, name),
        readiness(reading.state()),
        reading.since(),
        reading.unschedulable(),
        reading.outOfService(),
        annotations.getOrDefault(Annotations.FENCED_BY, ""),
        node.getStatus() == null ? 0 : Gpus.among(node.getStatus().getAllocatable()),
        labels,
        NodeSignReader.read(node, conditions),
        bootId(node),
        heartbeat(node),
        annotations.getOrDefault(Annotations.APPROVE_FENCE, ""),
        annotations.containsKey(Annotations.APPROVE_FENCE)
            ? Times.annotated(node.getMetadata(), Annotations.APPROVE_FENCE)
            : null,
        annotations.getOrDefault(Annotations.INCIDENTS, ""),
        annotations.getOrDefault(Annotations.FENCED_FOR, ""),
        annotations.getOrDefault(Annotations.STALLS, ""),
        Objects.requireNonNullElse(node.getMetadata().getUid(), ""),
        room(node),
        ApiTime.parse(node.getMetadata().getCreationTimestamp()));
  }

  /** Taints of a cordon or of a node that is not Ready are known from elsewhere. */
  private static NodeRoom room(Node node) {
    List<Taint> taints =
        node.getSpec() == null || node.getSpec().getTaints() == null
            ? List.of()
            : node.getSpec().getTaints();
    return new NodeRoom(
        node.getStatus() == null
            ? Amounts.NONE
            : AmountsReader.of(node.getStatus().getAllocatable()),
        node.getStatus() == null ? Set.of() : AmountsReader.zero(node.getStatus().getAllocatable()),
        taints.stream()
            .filter(t -> t != null && t.getKey() != null && t.getEffect() != null)
            .filter(t -> t.getEffect().equals("NoSchedule") || t.getEffect().equals("NoExecute"))
            .filter(t -> !t.getKey().startsWith("node.kubernetes.io/"))
            .map(
                t ->
                    new NodeTaint(
                        t.getKey(), t.getValue() == null ? "" : t.getValue(), t.getEffect()))
            .toList());
  }

  private static String bootId(Node node) {
    return node.getStatus() == null || node.getStatus().getNodeInfo() == null
        ? ""
        : Objects.requireNonNullElse(node.getStatus().getNodeInfo().getBootID(), "");
  }

  /**
   * When the kubelet wrote the status: it writes boot and heartbeat together. Who calls a silent
   * node Unknown leaves the heartbeat as it was.
   */
  private static @Nullable Instant heartbeat(Node node) {
    if (node.getStatus() == null || node.getStatus().getConditions() == null) {
      return null;
    }
    return node.getStatus().getConditions().stream()
        .filter(c -> c != null && "Ready".equals(c.getType()) && c.getLastHeartbeatTime() != null)
        .findFirst()
        .map(c -> ApiTime.parse(c.getLastHeartbeatTime()))
        .orElse(null);
  }

  private static Readiness readiness(NodeReading.State state) {
    return switch (state) {
      case READY -> Readiness.READY;
      case NOT_READY -> Readiness.NOT_READY;
      case SILENT, GONE -> Readiness.SILENT;
    };
  }

  private static Map<String, String> orEmpty(@Nullable Map<String, String> map) {
    return map == null ? Map.of() : map;
  }
}
