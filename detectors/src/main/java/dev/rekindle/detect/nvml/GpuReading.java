package dev.rekindle.detect.nvml;

import dev.rekindle.detect.xid.RecoveryAction;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * What one GPU said in one poll. A value that this GPU or driver does not have is empty.
 *
 * @param pci its address, {@code 0000:3b:00}
 * @param uuid {@code GPU-...}, possibly empty
 * @param answer {@link NvmlReturn#SUCCESS}, or the worst that a call on it answered: lost, reset
 *     required, corrupted InfoROM, or another error
 * @param recoveryAction what the driver says it needs (field 230)
 * @param eccUncorrected uncorrected ECC errors since the driver was loaded
 * @param sramOverThreshold whether its SRAM had more uncorrectable errors than NVIDIA accepts
 * @param remapPending whether a row of its memory waits for a reset to be remapped
 * @param remapFailed whether a row could not be remapped: NVIDIA's criterion for replacing the card
 * @param links whether each NVLink is up, by its number
 * @param linkReplays replays on all NVLinks since the driver was loaded
 * @param linkRecoveriesFailed NVLink recoveries that failed since the driver was loaded
 * @param fabric where the GPU belongs to an NVLink fabric
 * @param clockReasons why its clocks are as they are, bits of {@code nvml.h}
 * @param slices its slices where it is partitioned
 * @param use how busy it was, and with what; empty where that was not asked, or it does not say, as
 *     where it is partitioned
 */
record GpuReading(
    String pci,
    String uuid,
    int answer,
    Optional<RecoveryAction> recoveryAction,
    OptionalLong eccUncorrected,
    boolean sramOverThreshold,
    boolean remapPending,
    boolean remapFailed,
    NavigableMap<Integer, Boolean> links,
    OptionalLong linkReplays,
    OptionalLong linkRecoveriesFailed,
    Optional<FabricReading> fabric,
    long clockReasons,
    List<GpuNames.Slice> slices,
    Optional<GpuUse> use) {
  GpuReading {
    links = new TreeMap<>(links);
    slices = List.copyOf(slices);
  }

  /** Whether it failed to answer something, so that what is not set may hold all the same. */
  boolean isBlind() {
    return switch (answer) {
      case NvmlReturn.SUCCESS, NvmlReturn.CORRUPTED_INFOROM, NvmlReturn.IRQ_ISSUE -> false;
      default -> true;
    };
  }

  /** Whether the driver has lost it. */
  boolean lost() {
    return answer == NvmlReturn.GPU_IS_LOST;
  }

  /** Whether the driver refuses it until a reset. */
  boolean resetRequired() {
    return answer == NvmlReturn.RESET_REQUIRED;
  }

  /** A GPU that answered nothing but this. */
  static GpuReading silent(String pci, String uuid, int answer) {
    return new GpuReading(
        pci,
        uuid,
        answer,
        Optional.empty(),
        OptionalLong.empty(),
        false,
        false,
        false,
        new TreeMap<>(),
        OptionalLong.empty(),
        OptionalLong.empty(),
        Optional.empty(),
        0,
        List.of(),
        Optional.empty());
  }
}
