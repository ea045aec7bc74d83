package dev.rekindle.controller.cluster;

import dev.rekindle.api.NodeFaultSpec;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What the controller keeps of a NodeFault.
 *
 * @param name object name
 * @param node the faulty node
 * @param component {@code GPU 0000:3b:00}, for people
 * @param code {@code XID-79}
 * @param fence whether the fault alone fences
 * @param active whether it stands
 * @param count how often it was seen
 * @param lastSeen when last
 * @param evidence newest line
 * @param detector who found it, {@code kmsg}
 */
public record FaultView(
    String name,
    String node,
    String component,
    String code,
    NodeFaultSpec.FenceGuidance fence,
    boolean active,
    long count,
    @Nullable Instant lastSeen,
    String evidence,
    String detector) {

  /** A fault that the agent found in the kernel log. */
  public FaultView(
      String name,
      String node,
      String component,
      String code,
      NodeFaultSpec.FenceGuidance fence,
      boolean active,
      long count,
      @Nullable Instant lastSeen,
      String evidence) {
    this(name, node, component, code, fence, active, count, lastSeen, evidence, "kmsg");
  }

  /** Whether this fault is reason enough to fence its node. */
  public boolean fences() {
    return active && fence == NodeFaultSpec.FenceGuidance.ALWAYS;
  }
}
