package dev.rekindle.page;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultStatus;
import dev.rekindle.detect.judge.CodeExplainer;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A fault of a node.
 *
 * @param name name of the object
 * @param node the node
 * @param component what is faulty
 * @param code what it is
 * @param active whether it stands
 * @param count how often it was reported
 * @param firstSeen when first; absent where not known
 * @param lastSeen when last; absent where not known
 * @param evidence the newest line
 * @param toDo what repairs it
 */
public record FaultRow(
    String name,
    String node,
    String component,
    String code,
    boolean active,
    long count,
    @Nullable Instant firstSeen,
    @Nullable Instant lastSeen,
    String evidence,
    String toDo) {
  /** The row of a fault that has a spec. */
  public static FaultRow of(NodeFault fault) {
    var spec = fault.getSpec();
    NodeFaultStatus status = fault.getStatus();
    boolean seen = status != null && !status.lastEvidence().isEmpty();
    return new FaultRow(
        fault.getMetadata().getName(),
        spec.node(),
        VisibleText.of(
            spec.componentId().isEmpty()
                ? spec.componentType().name()
                : spec.componentType().name() + " " + spec.componentId()),
        spec.code(),
        status == null || status.state() == NodeFaultStatus.State.ACTIVE,
        status == null ? 1 : Math.max(1, status.count()),
        spec.firstSeen(),
        status == null || status.lastSeen() == null ? spec.firstSeen() : status.lastSeen(),
        VisibleText.of(seen ? status.lastEvidence() : spec.evidence()),
        CodeExplainer.toDo(spec.action()));
  }

  String state() {
    return active ? "Active" : "Cleared";
  }

  String lastSeenText() {
    return lastSeen == null ? "not known" : Figures.moment(lastSeen);
  }

  String firstSeenText() {
    return firstSeen == null ? "not known" : Figures.moment(firstSeen);
  }
}
