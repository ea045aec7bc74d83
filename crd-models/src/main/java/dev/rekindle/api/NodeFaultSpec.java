package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonFormat;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What the fault is: everything the controller needs to act on the first sight of the object.
 *
 * @param node name of the Node the fault is on
 * @param componentType what kind of thing is faulty
 * @param componentId which one: PCI address {@code 0000:3b:00} for a GPU, device/port for a NIC,
 *     empty for the node
 * @param code {@code XID-79}, {@code SXID-20034}, {@code NODE-GONE}; upper case, stable
 * @param detector the detector that found it, {@code kmsg} for the kernel log
 * @param fence whether the fault alone is reason to keep work off the node
 * @param action what repairs it, in the words of the XID catalogue: {@code reboot}, {@code
 *     reset_gpu}, {@code ignore}
 * @param bootId boot of the node in which it was first seen
 * @param firstSeen time of the first observation
 * @param evidence the line or reading itself, at most 1 KiB
 */
public record NodeFaultSpec(
    String node,
    ComponentType componentType,
    String componentId,
    String code,
    String detector,
    FenceGuidance fence,
    String action,
    String bootId,
    @Nullable @JsonFormat(shape = JsonFormat.Shape.STRING) Instant firstSeen,
    String evidence) {
  /** The kind of thing that is faulty. */
  public enum ComponentType {
    GPU,
    NVSWITCH,
    NIC,
    NODE
  }

  /** Whether a fault is reason enough to fence its node. */
  public enum FenceGuidance {
    /** Hardware that user code cannot have broken: fence on sight. */
    ALWAYS,
    /** Only when it repeats. */
    THRESHOLD,
    /** The process dies of it, the hardware is not in question. */
    NEVER
  }
}
