package dev.rekindle.detect.nvml;

import java.util.List;

/**
 * One poll of all GPUs.
 *
 * @param gpus those with an address, in the driver's order
 * @param nameless answers of those that gave no handle, so that their address is not known
 */
record NvmlReadings(List<GpuReading> gpus, List<Integer> nameless) {
  NvmlReadings {
    gpus = List.copyOf(gpus);
    nameless = List.copyOf(nameless);
  }

  /** Whether a GPU is lost or waits for a reset, by any sign of NVML. */
  boolean anyBroken() {
    return nameless.stream().anyMatch(NvmlReadings::broken)
        || gpus.stream()
            .anyMatch(
                gpu ->
                    broken(gpu.answer())
                        || gpu.recoveryAction().filter(action -> action.number() != 0).isPresent());
  }

  private static boolean broken(int answer) {
    return answer == NvmlReturn.GPU_IS_LOST || answer == NvmlReturn.RESET_REQUIRED;
  }
}
