package dev.rekindle.detect.fault;

import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultStatus;
import java.time.Instant;
import java.util.Set;

/**
 * Proof that faults of one component are gone. It clears what was last seen before it, so that a
 * replay of it never clears what came later.
 *
 * @param node the node
 * @param componentType what kind of thing
 * @param componentId which one, as in {@code NodeFault.spec.componentId}
 * @param codes the codes that are gone; empty for all of that component
 * @param by what proves it, one word: {@code driver}, {@code reboot}, {@code probe}
 * @param time when it was proven
 * @param bootId boot of the kernel record that proves it; may be empty
 * @param sequence number of that record within the boot; {@link FaultObservation#NO_SEQUENCE} where
 *     it was no record
 */
public record FaultResolution(
    String node,
    ComponentType componentType,
    String componentId,
    Set<String> codes,
    String by,
    Instant time,
    String bootId,
    long sequence) {
  /** An immutable copy. */
  public FaultResolution {
    codes = Set.copyOf(codes);
  }

  /** Proof of a detector that reads no log. */
  public FaultResolution(
      String node,
      ComponentType componentType,
      String componentId,
      Set<String> codes,
      String by,
      Instant time) {
    this(node, componentType, componentId, codes, by, time, "", FaultObservation.NO_SEQUENCE);
  }

  /** Whether a record of the kernel log shows that the fault came after it, whatever clocks say. */
  boolean isBefore(NodeFaultStatus fault) {
    return sequence != FaultObservation.NO_SEQUENCE
        && fault.bootId().equals(bootId)
        && fault.lastSequence() > sequence;
  }

  /** Whether it is about a fault of this component with this code. */
  public boolean covers(ComponentType type, String component, String code) {
    return type == componentType
        && component.equals(componentId)
        && (codes.isEmpty() || codes.contains(code));
  }
}
