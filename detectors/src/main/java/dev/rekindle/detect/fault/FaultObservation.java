package dev.rekindle.detect.fault;

import dev.rekindle.api.NodeFaultSpec;
import java.time.Instant;

/**
 * One observation of a fault.
 *
 * @param fault what a NodeFault says when this is its first observation
 * @param sequence number of the kernel record within the boot, which shows a replay; {@link
 *     #NO_SEQUENCE} for what cannot be replayed, where every observation counts
 * @param time when it was observed
 * @param unit the part of the component that it names, such as {@code GPC 1 TPC 2}; may be empty
 * @param victim whom it hit
 * @param mark the word within the code that decided what it means; may be empty
 */
public record FaultObservation(
    NodeFaultSpec fault,
    long sequence,
    Instant time,
    String unit,
    AffectedPod victim,
    String mark) {
  /** Of a detector that reads no log. */
  public static final long NO_SEQUENCE = -1;

  /** An observation of a code that means the same each time. */
  public FaultObservation(
      NodeFaultSpec fault, long sequence, Instant time, String unit, AffectedPod victim) {
    this(fault, sequence, time, unit, victim, "");
  }

  /** An observation of the whole component, with no victim known. */
  public static FaultObservation of(NodeFaultSpec fault, long sequence, Instant time) {
    return new FaultObservation(fault, sequence, time, "", AffectedPod.UNKNOWN);
  }

  /** The same, of the device of that UUID; as it was where that is not known. */
  public FaultObservation ofDevice(String uuid) {
    return uuid.isEmpty()
        ? this
        : new FaultObservation(fault.ofDevice(uuid), sequence, time, unit, victim, mark);
  }

  /** Name of the NodeFault. */
  public String name() {
    return FaultName.of(fault.node(), fault.componentId(), fault.code());
  }
}
