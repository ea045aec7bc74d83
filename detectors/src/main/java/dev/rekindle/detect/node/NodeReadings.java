package dev.rekindle.detect.node;

import dev.rekindle.detect.ApiTime;
import dev.rekindle.detect.node.NodeReading.State;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeCondition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the health of a node from its object; makes no calls and keeps no state. */
public final class NodeReadings {
  private static final String OUT_OF_SERVICE = "node.kubernetes.io/out-of-service";
  private static final int MAX_EVIDENCE = 512;

  private NodeReadings() {}

  /** Reads a node; null stands for a Node object that does not exist. */
  public static NodeReading read(@Nullable Node node) {
    if (node == null) {
      return new NodeReading(State.GONE, null, false, false, "", "the Node object does not exist");
    }
    var spec = node.getSpec();
    var status = node.getStatus();
    var unschedulable = spec != null && Boolean.TRUE.equals(spec.getUnschedulable());
    var outOfService =
        spec != null
            && orEmpty(spec.getTaints()).stream().anyMatch(t -> OUT_OF_SERVICE.equals(t.getKey()));
    var info = status == null ? null : status.getNodeInfo();
    var bootId = info == null || info.getBootID() == null ? "" : info.getBootID();
    var conditions = status == null ? List.<NodeCondition>of() : orEmpty(status.getConditions());
    for (var condition : conditions) {
      if ("Ready".equals(condition.getType())) {
        return new NodeReading(
            state(condition),
            ApiTime.parse(condition.getLastTransitionTime()),
            unschedulable,
            outOfService,
            bootId,
            evidence(condition));
      }
    }
    return new NodeReading(
        State.NOT_READY,
        null,
        unschedulable,
        outOfService,
        bootId,
        "the node has no Ready condition yet");
  }

  private static State state(NodeCondition ready) {
    return switch (ready.getStatus() == null ? "" : ready.getStatus()) {
      case "True" -> State.READY;
      case "False" -> State.NOT_READY;
      default -> State.SILENT;
    };
  }

  private static String evidence(NodeCondition ready) {
    var text = "Ready is " + ready.getStatus();
    if (ready.getReason() != null && !ready.getReason().isEmpty()) {
      text += " (" + ready.getReason() + ")";
    }
    if (ready.getMessage() != null && !ready.getMessage().isEmpty()) {
      text += ": " + ready.getMessage();
    }
    return text.length() <= MAX_EVIDENCE ? text : text.substring(0, MAX_EVIDENCE);
  }

  private static <T> List<T> orEmpty(@Nullable List<T> list) {
    return list == null ? List.of() : list;
  }
}
