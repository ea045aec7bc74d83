package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
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
 * @param action what repairs it, in the words of the XID catalogue: {@code reboot_node}, {@code
 *     reset_gpu}, {@code drain_and_rma}, {@code investigate}
 * @param bootId boot of the node in which it was first seen
 * @param firstSeen time of the first observation
 * @param evidence the line or reading itself, at most 1 KiB
 * @param nodeUid UID of the Node object that it was on; empty when its detector did not know
 * @param deviceUuid UUID of the GPU, {@code GPU-...}, by which pods hold it; empty for other
 *     components, and when its detector did not know
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
@ValidationRule(
    value =
        "self.node == oldSelf.node && self.componentType == oldSelf.componentType"
            + " && self.componentId == oldSelf.componentId && self.code == oldSelf.code",
    message = "node, componentType, componentId and code are what the fault is and cannot change")
public record NodeFaultSpec(
    @Required @Size(min = 1, max = Bounds.NAME) String node,
    @Required ComponentType componentType,
    @Default("\"\"") @Size(max = Bounds.NAME) String componentId,
    @Required @Size(max = Bounds.WORD) @Pattern("^[A-Z0-9]+([-_.][A-Z0-9]+)*$") String code,
    @Size(max = Bounds.WORD) String detector,
    @Required FenceGuidance fence,
    @Size(max = Bounds.NAME) String action,
    @Size(max = Bounds.WORD) String bootId,
    @Nullable @JsonFormat(shape = JsonFormat.Shape.STRING) Instant firstSeen,
    @Size(max = Bounds.LINE) String evidence,
    @Default("\"\"") @Size(max = Bounds.WORD) String nodeUid,
    @Default("\"\"") @Size(max = Bounds.WORD) String deviceUuid) {
  /** One of a node whose UID is not known, and of a device whose UUID is not. */
  public NodeFaultSpec(
      String node,
      ComponentType componentType,
      String componentId,
      String code,
      String detector,
      FenceGuidance fence,
      String action,
      String bootId,
      @Nullable Instant firstSeen,
      String evidence) {
    this(
        node,
        componentType,
        componentId,
        code,
        detector,
        fence,
        action,
        bootId,
        firstSeen,
        evidence,
        "",
        "");
  }

  public NodeFaultSpec {
    node = Bounds.name(node);
    componentType = componentType == null ? ComponentType.NODE : componentType;
    componentId = Bounds.name(componentId);
    code = Bounds.word(code);
    detector = Bounds.word(detector);
    fence = fence == null ? FenceGuidance.NEVER : fence;
    action = Bounds.name(action);
    bootId = Bounds.word(bootId);
    evidence = Bounds.line(evidence);
    nodeUid = Bounds.word(nodeUid);
    deviceUuid = Bounds.word(deviceUuid);
  }

  /** The same, on the Node of that UID. */
  public NodeFaultSpec onNode(String uid) {
    return new NodeFaultSpec(
        node,
        componentType,
        componentId,
        code,
        detector,
        fence,
        action,
        bootId,
        firstSeen,
        evidence,
        uid,
        deviceUuid);
  }

  /** The same, of the device of that UUID. */
  public NodeFaultSpec ofDevice(String uuid) {
    return new NodeFaultSpec(
        node,
        componentType,
        componentId,
        code,
        detector,
        fence,
        action,
        bootId,
        firstSeen,
        evidence,
        nodeUid,
        uuid);
  }

  /** The kind of thing that is faulty. */
  public enum ComponentType {
    @JsonProperty("GPU")
    GPU,
    @JsonProperty("NVSwitch")
    NVSWITCH,
    @JsonProperty("NIC")
    NIC,
    @JsonProperty("Node")
    NODE
  }

  /** Whether a fault is reason enough to fence its node. */
  public enum FenceGuidance {
    /** Hardware that user code cannot have broken: fence on sight. */
    @JsonProperty("Always")
    ALWAYS,
    /** Only when it repeats. */
    @JsonProperty("Threshold")
    THRESHOLD,
    /** The process dies of it, the hardware is not in question. */
    @JsonProperty("Never")
    NEVER
  }
}
