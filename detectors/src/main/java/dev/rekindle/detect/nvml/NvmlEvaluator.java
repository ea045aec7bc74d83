package dev.rekindle.detect.nvml;

import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.OptionalLong;
import java.util.TreeSet;

/**
 * What follows from a poll and what was remembered before. A condition that holds is reported when
 * it begins and then again and again, so that the fault stays one incident and comes back if
 * somebody deletes it; when it is gone, that is reported.
 */
final class NvmlEvaluator {

  private final String node;
  private final String bootId;

  NvmlEvaluator(String node, String bootId) {
    this.node = node;
    this.bootId = bootId;
  }

  /** Decides. */
  NvmlDecision decide(NvmlMemory before, NvmlReadings readings, Instant now) {
    var decided = new NvmlDecisionBuilder(node, bootId, before, now);
    for (var gpu : readings.gpus()) {
      var known = before.gpus().get(gpu.pci());
      var current =
          known == null || !known.bootId().equals(bootId)
              ? KnownGpu.fresh(gpu.pci(), bootId)
              : known;
      decided.gpu(gpu, gpu.isBlind() ? current : learn(current, gpu, now));
    }
    decided.answered();
    // What gave no handle without being lost may be any of those that are missing.
    if (readings.nameless().stream().allMatch(code -> code == NvmlReturn.GPU_IS_LOST)) {
      decided.missing(readings);
    }
    return decided.decision();
  }

  /** Decides for a driver that is not coming back from a call. */
  NvmlDecision hung(NvmlMemory before, String what, Duration lasted, Instant now) {
    var decided = new NvmlDecisionBuilder(node, bootId, before, now);
    decided.hold("", List.of(GpuCondition.hung(what, lasted)), true);
    return decided.decision();
  }

  private static KnownGpu learn(KnownGpu known, GpuReading gpu, Instant now) {
    NavigableSet<Integer> up = new TreeSet<>(known.linksUp());
    gpu.links()
        .forEach(
            (link, isUp) -> {
              if (isUp) {
                up.add(link);
              }
            });
    var minute = now.truncatedTo(ChronoUnit.MINUTES);
    List<Instant> slow = new ArrayList<>(known.slow());
    slow.removeIf(one -> !one.isAfter(minute.minus(GpuCondition.SLOW_WINDOW)));
    if ((gpu.clockReasons() & GpuCondition.HARDWARE_SLOWDOWN) != 0 && !slow.contains(minute)) {
      slow.add(minute);
    }
    return new KnownGpu(
        known.pci(),
        known.bootId(),
        gpu.recoveryAction().or(known::action),
        newest(gpu.eccUncorrected(), known.eccUncorrected()),
        newest(gpu.linkReplays(), known.linkReplays()),
        newest(gpu.linkRecoveriesFailed(), known.linkRecoveriesFailed()),
        up,
        slow);
  }

  private static OptionalLong newest(OptionalLong now, OptionalLong before) {
    return now.isPresent() ? now : before;
  }

  static ComponentType type(String pci) {
    return pci.isEmpty() ? ComponentType.NODE : ComponentType.GPU;
  }

  /** A fault of a GPU, or of the node where the address is empty. */
  static NodeFaultSpec spec(
      String node,
      String bootId,
      String pci,
      String code,
      FenceGuidance fence,
      String action,
      Instant now,
      String evidence) {
    return new NodeFaultSpec(
        node, type(pci), pci, code, "nvml", fence, action, bootId, now, evidence);
  }
}
