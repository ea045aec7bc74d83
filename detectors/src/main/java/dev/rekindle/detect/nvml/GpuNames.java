package dev.rekindle.detect.nvml;

import dev.rekindle.detect.MigInstance;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * How the GPUs of a node and their slices are called: the driver names them by PCI address and
 * number, Kubernetes by UUID.
 *
 * @param gpus what NVML last said of each, by PCI address
 */
public record GpuNames(Map<String, Gpu> gpus) {
  /** Before NVML has said anything. */
  public static final GpuNames NONE = new GpuNames(Map.of());

  /**
   * A GPU.
   *
   * @param uuid {@code GPU-...}
   * @param slices its slices; none where it is not partitioned
   */
  public record Gpu(String uuid, List<Slice> slices) {
    /** An immutable copy. */
    public Gpu {
      slices = List.copyOf(slices);
    }
  }

  /**
   * A slice of a GPU.
   *
   * @param instance its numbers, the compute instance always among them
   * @param uuid {@code MIG-...}
   */
  public record Slice(MigInstance instance, String uuid) {}

  /** An immutable copy. */
  public GpuNames {
    gpus = Map.copyOf(gpus);
  }

  /** These, and what a poll says again. A GPU that does not answer keeps its names. */
  GpuNames and(List<GpuReading> readings) {
    Map<String, Gpu> all = new HashMap<>(gpus);
    for (var gpu : readings) {
      if (!gpu.uuid().isEmpty() && !gpu.isBlind()) {
        all.put(gpu.pci(), new Gpu(gpu.uuid(), gpu.slices()));
      }
    }
    return new GpuNames(all);
  }

  /**
   * UUID of a GPU.
   *
   * @param pci its address
   * @return {@code GPU-...}; empty where it is not known
   */
  public String uuid(String pci) {
    var gpu = gpus.get(pci);
    return gpu == null ? "" : gpu.uuid();
  }

  /**
   * The ids by which a pod may hold it; none where it is not known, and for a whole GPU that is
   * partitioned: no pod holds that.
   *
   * @param pci address of the GPU, {@code 0000:3b:00}
   * @param part the part of it; empty for all of it
   */
  public Set<String> ids(String pci, Optional<MigInstance> part) {
    var gpu = gpus.get(pci);
    if (gpu == null) {
      return Set.of();
    }
    if (part.isEmpty()) {
      return gpu.slices().isEmpty() ? Set.of(gpu.uuid()) : Set.of();
    }
    Set<String> ids = new HashSet<>();
    for (var slice : gpu.slices()) {
      if (part.get().covers(slice.instance())) {
        ids.add(slice.uuid());
        // As drivers before 470 called it, and plugins may still do.
        ids.add(
            "MIG-%s/%d/%d"
                .formatted(
                    gpu.uuid(), slice.instance().gpu(), slice.instance().compute().orElse(0)));
      }
    }
    return ids;
  }
}
