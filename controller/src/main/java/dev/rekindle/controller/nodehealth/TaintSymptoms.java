package dev.rekindle.controller.nodehealth;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RepairAction;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.detect.node.DeviceTaint;
import java.time.Duration;
import java.util.List;

/**
 * Taints of DRA devices. Pure.
 *
 * <p>A device tainted {@code NoExecute} loses its pods whatever we do: it fences. {@code
 * NoSchedule} leaves them: reported only. So is a rule that selects devices by an expression: to
 * know which, it would have to be run. What is said of a device stands until its driver is there
 * and says otherwise.
 */
final class TaintSymptoms {
  private static final String SOME =
      ", as far as an expression or a class selects it: which devices those are is not known, so"
          + " nothing follows";

  private TaintSymptoms() {}

  static List<NodeSymptom> of(NodeHealthSnapshot s) {
    return s.dra().taints().stream()
        .filter(t -> t.effect().equals("NoExecute") || t.effect().equals("NoSchedule"))
        .map(t -> taint(s.node().name(), t))
        .toList();
  }

  /**
   * Whether the driver of the devices of a fault is away: a kubelet deletes all slices of its node
   * when it starts, and those of a driver that is away for half a minute, and the taints with them.
   * A rule may name no driver: then any will do.
   */
  static boolean isAway(NodeHealthSnapshot s, FaultView fault) {
    String driver = fault.incidents().isEmpty() ? "" : fault.incidents().getLast().unit();
    return s.dra().slices().stream()
        .noneMatch(slice -> driver.isEmpty() || driver.equals(slice.driver()));
  }

  private static NodeSymptom taint(String node, DeviceTaint t) {
    String value = t.value().isEmpty() ? "" : "=" + t.value();
    String device = t.device().isEmpty() ? "all devices" : "device " + t.device();
    // Two rules of one key may say different things, and only one of them of which devices.
    String code =
        NodeSymptoms.DRA + ConditionRules.word(t.key()) + (t.selected() ? "-SELECTED" : "");
    return new NodeSymptom(
        node,
        ForeignName.componentType(t.driver()),
        ForeignName.safe(t.address().isEmpty() ? t.device() : ForeignName.pciAddress(t.address())),
        code,
        Detectors.DRA,
        t.effect().equals("NoExecute") && !t.selected()
            ? FenceGuidance.ALWAYS
            : FenceGuidance.NEVER,
        RepairAction.INVESTIGATE.word(),
        t.since(),
        Duration.ZERO,
        "%s of pool %s (%s) is tainted %s%s:%s%s"
            .formatted(
                device, t.pool(), t.driver(), t.key(), value, t.effect(), t.selected() ? SOME : ""),
        t.driver());
  }
}
