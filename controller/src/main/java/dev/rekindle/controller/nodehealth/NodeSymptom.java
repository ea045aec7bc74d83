package dev.rekindle.controller.nodehealth;

import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.detect.fault.FaultName;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One sign of a fault that an object in the API shows now.
 *
 * @param node the node
 * @param type what kind of thing is faulty
 * @param component which one; empty for the node
 * @param code {@code COND-XIDERRORS}
 * @param detector one of {@link Detectors}
 * @param fence what follows
 * @param action what to do about it, in the words of the XID catalogue
 * @param since when it appeared, where the object says
 * @param delay how long it must stand before it is reported
 * @param evidence one sentence
 * @param author the driver that says so, where several may speak of the devices of a node; else
 *     empty
 */
record NodeSymptom(
    String node,
    ComponentType type,
    String component,
    String code,
    String detector,
    FenceGuidance fence,
    String action,
    @Nullable Instant since,
    Duration delay,
    String evidence,
    String author) {

  /** One of which it is clear by the detector who says so. */
  NodeSymptom(
      String node,
      ComponentType type,
      String component,
      String code,
      String detector,
      FenceGuidance fence,
      String action,
      @Nullable Instant since,
      Duration delay,
      String evidence) {
    this(node, type, component, code, detector, fence, action, since, delay, evidence, "");
  }

  /** Name of its NodeFault. */
  String name() {
    return FaultName.of(node, component, code);
  }

  /** What its NodeFault says, seen at that time. */
  NodeFaultSpec fault(Instant seen) {
    return new NodeFaultSpec(
        node, type, component, code, detector, fence, action, "", seen, evidence);
  }
}
