package dev.rekindle.detect.nvml;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * How GPUs are read.
 *
 * @param enabled whether NVML is used at all
 * @param roots where a library is searched for, first to last: the root of a file system, or the
 *     folder that holds the library
 * @param poll time from one poll to the next
 * @param hung how long a call may take before the driver is taken to be hung
 * @param recheck how often a missing library or driver is tried again
 * @param pause how long NVML is left alone after it failed; doubled each time, up to 5 minutes
 */
public record NvmlSettings(
    boolean enabled,
    List<Path> roots,
    Duration poll,
    Duration hung,
    Duration recheck,
    Duration pause) {
  /** An immutable copy. */
  public NvmlSettings {
    roots = List.copyOf(roots);
  }
}
