package dev.rekindle.controller.nodehealth;

import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RepairAction;
import dev.rekindle.controller.model.AscendView;
import dev.rekindle.detect.node.AscendFault;
import java.time.Duration;
import java.util.List;

/**
 * Ascend NPUs, by what MindCluster says of them. Pure.
 *
 * <p>The level is the one that MindCluster gives. One that requests a restart is reported only:
 * work that such an error hits ends or stands still, and is restarted for that; work that continues
 * is not to be stopped for it.
 */
final class AscendSymptoms {
  private static final String RESTARTS =
      "; work that it hits ends or stalls and is restarted for that, ";

  private AscendSymptoms() {}

  static List<NodeSymptom> of(NodeHealthSnapshot s) {
    return s.ascend().stream()
        .map(AscendView::faults)
        .flatMap(List::stream)
        .filter(f -> f.advice() != AscendFault.Advice.NOTHING)
        .map(f -> symptom(s.node().name(), f))
        .toList();
  }

  private static NodeSymptom symptom(String node, AscendFault f) {
    boolean restart =
        f.advice() == AscendFault.Advice.RESTART || f.advice() == AscendFault.Advice.RESET;
    String what = f.device().isEmpty() ? "the node" : f.device();
    return new NodeSymptom(
        node,
        f.device().isEmpty() ? ComponentType.NODE : ComponentType.GPU,
        ForeignName.safe(f.device()),
        (f.network() ? NodeSymptoms.ASCEND_NETWORK : NodeSymptoms.ASCEND)
            + ConditionRules.word(f.level()),
        Detectors.ASCEND,
        switch (f.advice()) {
          case SEPARATE -> FenceGuidance.ALWAYS;
          case KEEP_OFF -> FenceGuidance.THRESHOLD;
          case RESTART, RESET, NOTHING -> FenceGuidance.NEVER;
        },
        restart ? RepairAction.RESTART_JOB.word() : RepairAction.INVESTIGATE.word(),
        null,
        Duration.ZERO,
        "MindCluster gives %s the level %s%s%s%s"
            .formatted(
                what,
                f.level(),
                f.network() ? " for its network" : "",
                f.codes().isEmpty() ? "" : ", codes " + f.codes(),
                switch (f.advice()) {
                  case RESTART -> RESTARTS + "the device is not in question";
                  case RESET -> RESTARTS + "the device is reset by MindCluster once it is free";
                  case SEPARATE, KEEP_OFF, NOTHING -> "";
                }));
  }
}
