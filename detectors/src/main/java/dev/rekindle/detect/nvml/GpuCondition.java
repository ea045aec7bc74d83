package dev.rekindle.detect.nvml;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RepairAction;
import dev.rekindle.detect.xid.RecoveryAction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Something about a GPU that holds for as long as it is read.
 *
 * @param code code of the fault
 * @param fence whether it alone is reason to keep work off the node
 * @param action what repairs it
 * @param evidence what was read
 * @param patience how long it must hold before it is a fault
 */
record GpuCondition(
    String code, FenceGuidance fence, String action, String evidence, Duration patience) {
  static final String LOST = NvmlCode.GPU_LOST.word();
  static final String MISSING = NvmlCode.GPU_MISSING.word();
  static final String HUNG = NvmlCode.DRIVER_HUNG.word();

  /** A GPU that is merely not listed may be on its way: three polls of 15 s. */
  static final Duration MISSING_PATIENCE = Duration.ofSeconds(45);

  /** A fabric needs minutes to come up after a boot. */
  static final Duration FABRIC_PATIENCE = Duration.ofMinutes(5);

  /** Hardware slowdown, hardware thermal slowdown, and hardware power brake. */
  static final long HARDWARE_SLOWDOWN = 0x8 | 0x40 | 0x80;

  /** As gpud counts it: in 6 of 10 minutes. */
  static final int SLOW_MINUTES = 6;

  static final Duration SLOW_WINDOW = Duration.ofMinutes(10);

  private static final String RESET = RepairAction.RESET_GPU.word();
  private static final String REPLACE = RepairAction.DRAIN_AND_RMA.word();
  private static final String LOOK = RepairAction.INVESTIGATE.word();

  /** A GPU that answers no more, though it once did in this boot. */
  static GpuCondition lost(String evidence, Duration patience) {
    return new GpuCondition(
        LOST, FenceGuidance.ALWAYS, RepairAction.REBOOT_NODE.word(), evidence, patience);
  }

  /** A GPU that did not come back with the boot. It may have been taken out on purpose. */
  static GpuCondition missing() {
    return new GpuCondition(
        MISSING,
        FenceGuidance.THRESHOLD,
        LOOK,
        "NVML does not list this GPU, which answered in an earlier boot",
        MISSING_PATIENCE);
  }

  /** The driver of the node does not answer at all. No container with a GPU can be started. */
  static GpuCondition hung(String what, Duration lasted) {
    return new GpuCondition(
        HUNG,
        FenceGuidance.ALWAYS,
        RepairAction.REBOOT_NODE.word(),
        "a call of NVML (" + what + ") has not come back for " + lasted.toSeconds() + " s",
        Duration.ZERO);
  }

  /** All that is wrong with a GPU that answers. */
  static List<GpuCondition> of(GpuReading gpu, KnownGpu known) {
    List<GpuCondition> all = new ArrayList<>();
    if (gpu.lost()) {
      all.add(lost("NVML answers that this GPU is lost", Duration.ZERO));
      return all;
    }
    if (gpu.resetRequired()) {
      all.add(
          now(
              NvmlCode.RESET_REQUIRED.word(),
              FenceGuidance.ALWAYS,
              RESET,
              "NVML answers that this GPU needs a reset"));
    } else if (gpu.isBlind()) {
      all.add(
          new GpuCondition(
              NvmlCode.GPU_ERROR.word(),
              FenceGuidance.NEVER,
              LOOK,
              "NVML answers " + NvmlReturn.word(gpu.answer()) + " for this GPU",
              MISSING_PATIENCE));
    }
    gpu.recoveryAction()
        .filter(action -> action != RecoveryAction.NONE)
        .ifPresent(action -> all.add(recovery(action)));
    memory(gpu, all);
    gpu.fabric()
        .map(FabricReading::trouble)
        .filter(trouble -> !trouble.isEmpty())
        .ifPresent(
            trouble ->
                all.add(
                    new GpuCondition(
                        NvmlCode.FABRIC.word(),
                        FenceGuidance.THRESHOLD,
                        LOOK,
                        trouble,
                        FABRIC_PATIENCE)));
    var down = known.linksUp().stream().filter(link -> isDown(gpu, link)).toList();
    if (!down.isEmpty()) {
      all.add(watch(NvmlCode.NVLINK_DOWN.word(), "NVLinks that were up are down: " + down));
    }
    if (known.slow().size() >= SLOW_MINUTES) {
      all.add(
          watch(
              NvmlCode.HW_SLOWDOWN.word(),
              "the hardware slowed the clocks down in "
                  + known.slow().size()
                  + " of 10 minutes, reasons 0x"
                  + Long.toHexString(gpu.clockReasons())));
    }
    if (gpu.answer() == NvmlReturn.CORRUPTED_INFOROM) {
      all.add(watch(NvmlCode.INFOROM.word(), "NVML answers that the InfoROM is corrupted"));
    }
    return all;
  }

  private static void memory(GpuReading gpu, List<GpuCondition> all) {
    if (gpu.remapFailed()) {
      all.add(
          now(
              NvmlCode.ROW_REMAP_FAILED.word(),
              FenceGuidance.ALWAYS,
              REPLACE,
              "a row of memory could not be remapped"));
    }
    if (gpu.remapPending()) {
      all.add(
          now(
              NvmlCode.ROW_REMAP_PENDING.word(),
              FenceGuidance.THRESHOLD,
              RESET,
              "a row of memory waits for a reset to be remapped"));
    }
    if (gpu.sramOverThreshold()) {
      all.add(
          now(
              NvmlCode.SRAM_THRESHOLD.word(),
              FenceGuidance.THRESHOLD,
              REPLACE,
              "uncorrectable SRAM errors are above NVIDIA's threshold"));
    }
  }

  private static boolean isDown(GpuReading gpu, int link) {
    return Boolean.FALSE.equals(gpu.links().get(link));
  }

  private static GpuCondition recovery(RecoveryAction action) {
    var fence =
        switch (action) {
          case RESET_GPU, REBOOT_NODE -> FenceGuidance.ALWAYS;
          // It serves on until it is idle.
          case DRAIN_AND_RESET, DRAIN_P2P, RECOVER_IMEX -> FenceGuidance.THRESHOLD;
          case NONE -> FenceGuidance.NEVER;
        };
    return now(
        NvmlCode.RECOVERY_ACTION.word(),
        fence,
        action.word(),
        "the driver's recovery action for this GPU is " + action.word());
  }

  private static GpuCondition now(
      String code, FenceGuidance fence, String action, String evidence) {
    return new GpuCondition(code, fence, action, evidence, Duration.ZERO);
  }

  private static GpuCondition watch(String code, String evidence) {
    return now(code, FenceGuidance.NEVER, LOOK, evidence);
  }
}
