package dev.rekindle.detect.nvml;

/**
 * How a GPU stands in the NVLink fabric.
 *
 * @param state 1 not started, 2 in progress, 3 completed
 * @param status what the registration ended with, 0 for success
 * @param health 0 not said, 1 healthy, 2 unhealthy, 3 limited
 * @param mask two bits or more for each aspect of health, see {@code nvml.h}
 */
record FabricReading(int state, int status, int health, int mask) {
  private static final int COMPLETED = 3;
  private static final int UNHEALTHY = 2;
  private static final int ROUTE_UNHEALTHY_SHIFT = 4;

  /** Why jobs over several GPUs would not start, or empty. */
  String trouble() {
    if (state != COMPLETED) {
      return "registration with the fabric is " + (state == 1 ? "not started" : "in progress");
    }
    if (status != NvmlReturn.SUCCESS) {
      return "registration with the fabric ended with " + NvmlReturn.word(status);
    }
    if (health == UNHEALTHY || (mask >>> ROUTE_UNHEALTHY_SHIFT & 3) == 1) {
      return "the fabric is unhealthy, mask 0x" + Integer.toHexString(mask);
    }
    return "";
  }
}
