package dev.rekindle.detect.nvml;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** A counter of a GPU that grew since the poll before. */
record CounterGrowth(NvmlCode code, FenceGuidance fence, String evidence) {
  /** Replays between two polls from which on a link is reported to be bad; the number is ours. */
  static final long MANY_REPLAYS = 100;

  /** What grew from one poll to the next. */
  static List<CounterGrowth> of(KnownGpu old, GpuReading gpu) {
    List<CounterGrowth> all = new ArrayList<>();
    var errors = growth(old.eccUncorrected(), gpu.eccUncorrected());
    if (errors > 0) {
      all.add(
          new CounterGrowth(
              NvmlCode.ECC_UNCORRECTED,
              FenceGuidance.THRESHOLD,
              errors + " more uncorrected ECC errors since the poll before"));
    }
    var recoveries = growth(old.linkRecoveriesFailed(), gpu.linkRecoveriesFailed());
    if (recoveries > 0) {
      all.add(
          new CounterGrowth(
              NvmlCode.NVLINK_RECOVERY,
              FenceGuidance.NEVER,
              recoveries + " more NVLink recoveries failed since the poll before"));
    }
    var replays = growth(old.linkReplays(), gpu.linkReplays());
    if (replays >= MANY_REPLAYS) {
      all.add(
          new CounterGrowth(
              NvmlCode.NVLINK_REPLAY,
              FenceGuidance.NEVER,
              replays + " more NVLink replays since the poll before"));
    }
    return all;
  }

  /** How much a count grew; nothing when it was not known before, or began again. */
  private static long growth(OptionalLong before, OptionalLong now) {
    return before.isPresent() && now.isPresent()
        ? Math.max(0, now.getAsLong() - before.getAsLong())
        : 0;
  }
}
