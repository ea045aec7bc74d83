package dev.rekindle.detect.nvml;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RepairAction;
import dev.rekindle.detect.fault.FaultObservation;
import dev.rekindle.detect.fault.FaultResolution;
import dev.rekindle.detect.nvml.NvmlMemory.GpuCode;
import dev.rekindle.detect.nvml.NvmlMemory.Mark;
import dev.rekindle.detect.xid.RecoveryAction;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Puts one decision together. */
final class NvmlDecisionBuilder {
  /** Within the silence of three minutes that would end an incident. */
  static final Duration REPEAT = Duration.ofMinutes(2);

  private final String node;
  private final String bootId;

  private final NvmlMemory before;
  private final Instant now;
  private final List<FaultResolution> clearances = new ArrayList<>();
  private final List<FaultObservation> observations = new ArrayList<>();
  private final NavigableMap<String, KnownGpu> gpus;
  private final NavigableMap<GpuCode, Mark> marks;

  NvmlDecisionBuilder(String node, String bootId, NvmlMemory before, Instant now) {
    this.node = node;
    this.bootId = bootId;
    this.before = before;
    this.now = now;
    gpus = new TreeMap<>(before.gpus());
    marks = new TreeMap<>(before.marks());
  }

  /** Takes what was read of a GPU, and what is known of it now. */
  void gpu(GpuReading gpu, KnownGpu current) {
    gpus.put(gpu.pci(), current);
    var known = Optional.ofNullable(before.gpus().get(gpu.pci()));
    var sameBoot = known.filter(old -> old.bootId().equals(bootId));
    var allClear =
        sameBoot.flatMap(KnownGpu::action).filter(old -> old != RecoveryAction.NONE).isPresent()
            && gpu.recoveryAction().equals(Optional.of(RecoveryAction.NONE));
    if (allClear) {
      clear(gpu.pci(), Set.of(), "driver");
      marks.keySet().removeIf(key -> key.pci().equals(gpu.pci()));
    }
    sameBoot.ifPresent(
        old -> CounterGrowth.of(old, gpu).forEach(growth -> report(gpu.pci(), growth)));
    hold(gpu.pci(), GpuCondition.of(gpu, current), gpu.isBlind());
  }

  /** The driver answers. */
  void answered() {
    gone(new GpuCode("", GpuCondition.HUNG));
  }

  /** GPUs that are known and not there. */
  void missing(NvmlReadings readings) {
    Set<String> there = new TreeSet<>();
    readings.gpus().forEach(gpu -> there.add(gpu.pci()));
    var unnamed = readings.nameless().size();
    for (var known : before.gpus().values()) {
      if (there.contains(known.pci())) {
        continue;
      }
      unnamed--;
      // Lost before a reboot and not back since: still lost.
      var wasLost = before.marks().containsKey(new GpuCode(known.pci(), GpuCondition.LOST));
      hold(
          known.pci(),
          List.of(
              known.bootId().equals(bootId) || wasLost
                  ? GpuCondition.lost(
                      "NVML lists "
                          + there.size()
                          + " GPUs; this one, which it listed before, is not among them",
                      readings.nameless().isEmpty() ? GpuCondition.MISSING_PATIENCE : Duration.ZERO)
                  : GpuCondition.missing()),
          true);
    }
    hold(
        "",
        unnamed > 0
            ? List.of(
                GpuCondition.lost(unnamed + " GPUs are lost, their address unknown", Duration.ZERO))
            : List.of(),
        false);
  }

  /**
   * Takes what holds for a GPU now.
   *
   * @param blind whether nothing else about it could be read, so that the rest stays as it was
   */
  void hold(String pci, List<GpuCondition> conditions, boolean blind) {
    Set<String> codes = new TreeSet<>();
    for (var condition : conditions) {
      codes.add(condition.code());
      var key = new GpuCode(pci, condition.code());
      var mark = marks.getOrDefault(key, new Mark(now, Instant.EPOCH, bootId));
      var due =
          !now.isBefore(mark.since().plus(condition.patience()))
              && !now.isBefore(mark.reported().plus(REPEAT));
      if (due) {
        observations.add(
            observation(
                pci,
                condition.code(),
                condition.fence(),
                condition.action(),
                condition.evidence()));
      }
      marks.put(key, new Mark(mark.since(), due ? now : mark.reported(), bootId));
    }
    if (blind) {
      return;
    }
    var gone =
        marks.entrySet().stream()
            .filter(mark -> mark.getKey().pci().equals(pci))
            .filter(mark -> !codes.contains(mark.getKey().code()))
            .map(Map.Entry::getKey)
            .toList();
    gone.forEach(this::gone);
  }

  private void gone(GpuCode key) {
    var mark = marks.remove(key);
    if (mark != null && mark.wasReported()) {
      clear(key.pci(), Set.of(key.code()), mark.bootId().equals(bootId) ? "probe" : "reboot");
    }
  }

  private void report(String pci, CounterGrowth growth) {
    observations.add(
        observation(
            pci,
            growth.code().word(),
            growth.fence(),
            RepairAction.INVESTIGATE.word(),
            growth.evidence()));
  }

  private FaultObservation observation(
      String pci, String code, FenceGuidance fence, String action, String evidence) {
    return FaultObservation.of(
        NvmlEvaluator.spec(node, bootId, pci, code, fence, action, now, evidence),
        FaultObservation.NO_SEQUENCE,
        now);
  }

  private void clear(String pci, Set<String> codes, String by) {
    // Before what this poll still sees, which would else count as seen before the clearance.
    clearances.add(
        new FaultResolution(node, NvmlEvaluator.type(pci), pci, codes, by, now.minusMillis(1)));
  }

  /** What was decided. */
  NvmlDecision decision() {
    return new NvmlDecision(clearances, observations, new NvmlMemory(gpus, marks));
  }
}
