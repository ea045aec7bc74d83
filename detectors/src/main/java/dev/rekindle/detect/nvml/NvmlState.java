package dev.rekindle.detect.nvml;

/** How it stands with NVML on this node. */
public enum NvmlState {
  /** Not wanted. */
  OFF,
  /** There is no library. */
  ABSENT,
  /** There is a library and no driver. */
  NO_DRIVER,
  /** The agent may not open the devices. */
  NO_PERMISSION,
  /** The driver is another one than the library's, as after an upgrade. */
  MISMATCH,
  /** GPUs are read. */
  READING,
  /** A call does not come back. */
  HUNG,
  /** It failed for another reason; it is tried again. */
  FAILED;

  static NvmlState of(int code) {
    return switch (code) {
      case NvmlReturn.DRIVER_NOT_LOADED -> NO_DRIVER;
      case NvmlReturn.NO_PERMISSION -> NO_PERMISSION;
      case NvmlReturn.LIB_RM_VERSION_MISMATCH -> MISMATCH;
      default -> FAILED;
    };
  }
}
