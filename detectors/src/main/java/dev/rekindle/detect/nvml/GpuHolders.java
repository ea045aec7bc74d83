package dev.rekindle.detect.nvml;

import dev.rekindle.detect.MigInstance;
import dev.rekindle.detect.fault.AffectedPod;
import java.util.Optional;

/** Knows which pod holds a GPU, or a part of one. */
public interface GpuHolders {
  /**
   * The pod that holds it; unknown where several hold it or it is not known.
   *
   * @param pci address of the GPU, {@code 0000:3b:00}
   * @param part the part of it; empty for all of it
   */
  AffectedPod holder(String pci, Optional<MigInstance> part);
}
