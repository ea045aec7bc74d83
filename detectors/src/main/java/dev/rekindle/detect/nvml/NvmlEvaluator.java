package dev.rekindle.detect.nvml;

import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RepairAction;
import dev.rekindle.detect.fault.FaultObservation;
import dev.rekindle.detect.fault.FaultResolution;
import dev.rekindle.detect.nvml.NvmlMemory.GpuCode;
import dev.rekindle.detect.nvml.NvmlMemory.Mark;
import dev.rekindle.detect.xid.RecoveryAction;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What follows from a poll and what was remembered before. A condition that holds is reported when
 * it begins and then again and again, so that the fault stays one incident and comes back if
 * somebody deletes it; when it is gone, that is reported.
 */
final class NvmlEvaluator {
  /** Within the silence of three minutes that would end an incident. */
  static final Duration REPEAT = Duration.ofMinutes(2);

  /** Replays between two polls from which on a link is reported to be bad; the number is ours. */
  static final long MANY_REPLAYS = 100;

  private final String node;
  private final String bootId;

  NvmlEvaluator(String node, String bootId) {
    this.node = node;
    this.bootId = bootId;
  }

  /** Decides. */
  NvmlDecision decide(NvmlMemory before, NvmlReadings readings, Instant now) {
    var decided = new Decided(before, now);
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
    var decided = new Decided(before, now);
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

  /** How much a count grew; nothing when it was not known before, or began again. */
  private static long growth(OptionalLong before, OptionalLong now) {
    return before.isPresent() && now.isPresent()
        ? Math.max(0, now.getAsLong() - before.getAsLong())
        : 0;
  }

  /** One decision on its way. */
  private final class Decided {
    private final NvmlMemory before;
    private final Instant now;
    private final List<FaultResolution> clearances = new ArrayList<>();
    private final List<FaultObservation> observations = new ArrayList<>();
    private final NavigableMap<String, KnownGpu> gpus;
    private final NavigableMap<GpuCode, Mark> marks;

    Decided(NvmlMemory before, Instant now) {
      this.before = before;
      this.now = now;
      gpus = new TreeMap<>(before.gpus());
      marks = new TreeMap<>(before.marks());
    }

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
      sameBoot.ifPresent(old -> grown(gpu, old));
      hold(gpu.pci(), GpuCondition.of(gpu, current), gpu.isBlind());
    }

    private void grown(GpuReading gpu, KnownGpu old) {
      var errors = growth(old.eccUncorrected(), gpu.eccUncorrected());
      if (errors > 0) {
        report(
            gpu.pci(),
            NvmlCode.ECC_UNCORRECTED.word(),
            FenceGuidance.THRESHOLD,
            errors + " more uncorrected ECC errors since the poll before");
      }
      var recoveries = growth(old.linkRecoveriesFailed(), gpu.linkRecoveriesFailed());
      if (recoveries > 0) {
        report(
            gpu.pci(),
            NvmlCode.NVLINK_RECOVERY.word(),
            FenceGuidance.NEVER,
            recoveries + " more NVLink recoveries failed since the poll before");
      }
      var replays = growth(old.linkReplays(), gpu.linkReplays());
      if (replays >= MANY_REPLAYS) {
        report(
            gpu.pci(),
            NvmlCode.NVLINK_REPLAY.word(),
            FenceGuidance.NEVER,
            replays + " more NVLink replays since the poll before");
      }
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
                        readings.nameless().isEmpty()
                            ? GpuCondition.MISSING_PATIENCE
                            : Duration.ZERO)
                    : GpuCondition.missing()),
            true);
      }
      hold(
          "",
          unnamed > 0
              ? List.of(
                  GpuCondition.lost(
                      unnamed + " GPUs are lost, their address unknown", Duration.ZERO))
              : List.of(),
          false);
    }

    /**
     * Takes what holds for a GPU now.
     *
     * @param blind whether nothing else about it could be read, so that the rest stays as it was
     */
    private void hold(String pci, List<GpuCondition> conditions, boolean blind) {
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

    private void report(String pci, String code, FenceGuidance fence, String evidence) {
      observations.add(observation(pci, code, fence, RepairAction.INVESTIGATE.word(), evidence));
    }

    private FaultObservation observation(
        String pci, String code, FenceGuidance fence, String action, String evidence) {
      return FaultObservation.of(
          spec(node, bootId, pci, code, fence, action, now, evidence),
          FaultObservation.NO_SEQUENCE,
          now);
    }

    private void clear(String pci, Set<String> codes, String by) {
      // Before what this poll still sees, which would else count as seen before the clearance.
      clearances.add(new FaultResolution(node, type(pci), pci, codes, by, now.minusMillis(1)));
    }

    NvmlDecision decision() {
      return new NvmlDecision(clearances, observations, new NvmlMemory(gpus, marks));
    }
  }

  private static ComponentType type(String pci) {
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
