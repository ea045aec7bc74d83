package dev.rekindle.detect.nvml;

/** The answers of NVML calls that are distinguished here; numbers of {@code nvmlReturn_t}. */
final class NvmlReturn {
  static final int SUCCESS = 0;
  static final int INVALID_ARGUMENT = 2;
  static final int NOT_SUPPORTED = 3;
  static final int NO_PERMISSION = 4;
  static final int DRIVER_NOT_LOADED = 9;
  static final int TIMEOUT = 10;
  static final int IRQ_ISSUE = 11;

  /** Also said here of a function that the library of an older driver does not have. */
  static final int FUNCTION_NOT_FOUND = 13;

  static final int CORRUPTED_INFOROM = 14;
  static final int GPU_IS_LOST = 15;
  static final int RESET_REQUIRED = 16;

  /** The driver was replaced while the library of the old one is loaded. */
  static final int LIB_RM_VERSION_MISMATCH = 18;

  /** The version of a struct is not known to the driver. */
  static final int ARGUMENT_VERSION_MISMATCH = 25;

  private NvmlReturn() {}

  /** A word for people and for metrics. */
  static String word(int code) {
    return switch (code) {
      case SUCCESS -> "success";
      case 1 -> "uninitialized";
      case INVALID_ARGUMENT -> "invalid_argument";
      case NOT_SUPPORTED -> "not_supported";
      case NO_PERMISSION -> "no_permission";
      case DRIVER_NOT_LOADED -> "driver_not_loaded";
      case TIMEOUT -> "timeout";
      case IRQ_ISSUE -> "irq_issue";
      case FUNCTION_NOT_FOUND -> "function_not_found";
      case CORRUPTED_INFOROM -> "corrupted_inforom";
      case GPU_IS_LOST -> "gpu_is_lost";
      case RESET_REQUIRED -> "reset_required";
      case 17 -> "operating_system";
      case LIB_RM_VERSION_MISMATCH -> "lib_rm_version_mismatch";
      case ARGUMENT_VERSION_MISMATCH -> "argument_version_mismatch";
      case 28 -> "gpu_not_found";
      case 999 -> "unknown";
      default -> "error_" + code;
    };
  }
}
