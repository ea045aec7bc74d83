package dev.rekindle.detect.node;

/**
 * One fault that Ascend's device plugin or node daemon reports.
 *
 * @param device {@code Ascend910-4}, {@code CPU 0}; empty for the node as a whole
 * @param network whether it is the device's network that is faulty
 * @param level {@code RestartBusiness}, {@code PreSeparateNPU}, {@code SeparateNPU}, … as reported
 * @param codes fault codes, joined by commas as reported
 */
public record AscendFault(String device, boolean network, String level, String codes) {
  /** What such a fault requests. */
  public enum Advice {
    /** It heals by itself, or the level is not known. */
    NOTHING,
    /** The job is to be restarted; the device is not in question. */
    RESTART,
    /** The device is to be reset, at once or when it is idle, and its job restarted with it. */
    RESET,
    /** The device is to be kept free once it is idle. */
    KEEP_OFF,
    /** The device is to be kept free now. */
    SEPARATE
  }

  /** What its level requests. */
  public Advice advice() {
    if (level.startsWith("PreSeparate")) {
      return Advice.KEEP_OFF;
    }
    if (level.startsWith("Separate") || level.startsWith("ManuallySeparate")) {
      return Advice.SEPARATE;
    }
    if (level.startsWith("RestartNPU")
        || level.startsWith("FreeRestart")
        || level.startsWith("Reset")) {
      return Advice.RESET;
    }
    return level.startsWith("Restart") ? Advice.RESTART : Advice.NOTHING;
  }
}
