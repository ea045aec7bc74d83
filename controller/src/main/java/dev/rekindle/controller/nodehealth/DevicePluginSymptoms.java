package dev.rekindle.controller.nodehealth;

import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RepairAction;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.NamePattern;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.detect.node.DeviceHealth;
import dev.rekindle.detect.node.Shortfall;
import java.time.Duration;
import java.util.List;

/**
 * What device plugins and the kubelet say of the devices of a node. Pure.
 *
 * <ul>
 *   <li>A device that the kubelet holds for unhealthy while an opted-in job has it: {@code
 *       Threshold}. NVIDIA's plugin marks devices for any XID that is not on its short list,
 *       harmless ones among them, and all of them when its own wait for events fails; it never
 *       takes that back. One such mark is a witness, no proof.
 *   <li>Fewer devices to give than there are, under an opted-in job: reported only, for it says
 *       neither which device nor why, but it is why a gang may find no place. It is not over when
 *       the kubelet forgets the devices of a plugin that is away.
 *   <li>A device that HAMi holds for unhealthy: a witness, as a plugin's.
 * </ul>
 */
final class DevicePluginSymptoms {
  /** A plugin that restarts registers again within seconds; an upgrade of it takes longer. */
  private static final Duration PLUGIN_RESTARTS = Duration.ofSeconds(60);

  private static final String INVESTIGATE = RepairAction.INVESTIGATE.word();

  private DevicePluginSymptoms() {}

  /** Devices that the kubelet holds for unhealthy while an opted-in job has them. */
  static List<NodeSymptom> unhealthyDevices(NodeHealthSnapshot s) {
    return s.pods().stream()
        .flatMap(
            pod ->
                pod.devices().unhealthy().stream()
                    .map(
                        device ->
                            new NodeSymptom(
                                s.node().name(),
                                ForeignName.componentType(device.resource()),
                                ForeignName.safe(device.id()),
                                NodeSymptoms.DEVICE_UNHEALTHY,
                                Detectors.DEVICE_PLUGIN,
                                FenceGuidance.THRESHOLD,
                                INVESTIGATE,
                                null,
                                Duration.ZERO,
                                describe(device, pod.name()))))
        .toList();
  }

  private static String describe(DeviceHealth device, String pod) {
    String message = device.message().isEmpty() ? "" : ": " + device.message();
    return "the kubelet holds %s of %s, in pod %s, for unhealthy%s"
        .formatted(device.id(), device.resource(), pod, message);
  }

  /**
   * Resources of which there are fewer to give than there are. Once raised, it stands until the
   * node has all of them to give again, whichever job is on it.
   */
  static List<NodeSymptom> shortfalls(NodeHealthSnapshot s, Policy policy) {
    return s.node().signs().shortfalls().stream()
        .filter(f -> !f.forgotten() && counts(policy, f))
        .filter(
            f ->
                !s.pods().isEmpty()
                    || stands(s, NodeSymptoms.PLUGIN_UNHEALTHY, ForeignName.safe(f.resource())))
        .map(f -> shortfall(s.node().name(), f))
        .toList();
  }

  private static NodeSymptom shortfall(String node, Shortfall f) {
    return new NodeSymptom(
        node,
        ForeignName.componentType(f.resource()) == ComponentType.NIC
            ? ComponentType.NIC
            : ComponentType.NODE,
        ForeignName.safe(f.resource()),
        NodeSymptoms.PLUGIN_UNHEALTHY,
        Detectors.DEVICE_PLUGIN,
        FenceGuidance.NEVER,
        INVESTIGATE,
        null,
        PLUGIN_RESTARTS,
        "pods may ask for %d of %d %s: the device plugin holds back the rest"
            .formatted(f.allocatable(), f.capacity(), f.resource()));
  }

  /** Devices that HAMi holds for unhealthy. */
  static List<NodeSymptom> hami(NodeHealthSnapshot s) {
    return s.node().signs().sickDevices().stream()
        .map(
            id ->
                new NodeSymptom(
                    s.node().name(),
                    ComponentType.GPU,
                    ForeignName.safe(id),
                    NodeSymptoms.HAMI_UNHEALTHY,
                    Detectors.HAMI,
                    FenceGuidance.THRESHOLD,
                    INVESTIGATE,
                    null,
                    PLUGIN_RESTARTS,
                    "HAMi registers " + id + " as unhealthy"))
        .toList();
  }

  /**
   * Whether the kubelet has none of the devices of a fault left, nor a plugin that may have them:
   * it forgets them when the plugin is away for five minutes, and when it starts itself.
   */
  static boolean isAway(NodeHealthSnapshot s, FaultView fault) {
    return s.node().signs().shortfalls().stream()
        .anyMatch(
            f -> f.forgotten() && fault.component().endsWith(" " + ForeignName.safe(f.resource())));
  }

  /**
   * Whether the node has fewer devices to give than it has, of those that the policy names, or the
   * kubelet has forgotten what it had.
   */
  static boolean lacks(NodeHealthSnapshot s, Policy policy) {
    return s.node().signs().shortfalls().stream().anyMatch(f -> counts(policy, f));
  }

  private static boolean counts(Policy policy, Shortfall shortfall) {
    return policy.deviceResources().stream()
        .anyMatch(pattern -> NamePattern.fits(pattern, shortfall.resource()));
  }

  private static boolean stands(NodeHealthSnapshot s, String code, String component) {
    return s.faults().stream()
        .anyMatch(
            f -> f.active() && f.code().equals(code) && f.component().endsWith(" " + component));
  }
}
