package dev.rekindle.controller.cluster;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the controller keeps of a node.
 *
 * @param name node name
 * @param hostname value of label {@code kubernetes.io/hostname}, the name when the label is missing
 * @param readiness condition Ready
 * @param readinessSince when that condition last changed
 * @param unschedulable whether the node is cordoned, by anybody
 * @param outOfService whether it carries taint {@code node.kubernetes.io/out-of-service}: proven to
 *     be off
 * @param fencedBy the recovery named by our mark, empty when the node does not carry it
 * @param gpus GPUs that pods may ask for on it ({@code status.allocatable})
 * @param labels all labels
 */
public record NodeView(
    String name,
    String hostname,
    Readiness readiness,
    @Nullable Instant readinessSince,
    boolean unschedulable,
    boolean outOfService,
    String fencedBy,
    long gpus,
    Map<String, String> labels) {

  /** Condition Ready of a node. */
  public enum Readiness {
    READY,
    /** The kubelet says that it is not ready. */
    NOT_READY,
    /** The kubelet no longer says anything. */
    SILENT
  }

  public NodeView {
    labels = Map.copyOf(labels);
  }

  /** Whether the node carries our fence. */
  public boolean fencedByUs() {
    return !fencedBy.isEmpty();
  }
}
