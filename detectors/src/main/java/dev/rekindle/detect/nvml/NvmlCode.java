package dev.rekindle.detect.nvml;

/** Codes of the NodeFaults that are read off NVML and that no kernel log has. */
enum NvmlCode {
  GPU_LOST,
  GPU_MISSING,
  DRIVER_HUNG,
  RESET_REQUIRED,
  GPU_ERROR,
  FABRIC,
  NVLINK_DOWN,
  HW_SLOWDOWN,
  INFOROM,
  ROW_REMAP_FAILED,
  ROW_REMAP_PENDING,
  SRAM_THRESHOLD,
  RECOVERY_ACTION,
  ECC_UNCORRECTED,
  NVLINK_RECOVERY,
  NVLINK_REPLAY,
  FATAL_POISON,
  GPU_UNAVAILABLE;

  private final String word = "NVML-" + name().replace('_', '-');

  /** The code as the NodeFault has it: {@code NVML-GPU-LOST}. */
  String word() {
    return word;
  }
}
