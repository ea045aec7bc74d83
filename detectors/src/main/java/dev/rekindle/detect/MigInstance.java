package dev.rekindle.detect;

import java.util.OptionalInt;

/**
 * A part of a GPU that is partitioned by MIG, by the numbers that NVIDIA's driver and NVML share.
 *
 * @param gpu number of the GPU instance
 * @param compute number of the compute instance in it; empty where all of them are meant
 */
public record MigInstance(int gpu, OptionalInt compute) {
  /** Whether this is the other, or a whole of which the other is a part. */
  public boolean covers(MigInstance other) {
    return gpu == other.gpu && (compute.isEmpty() || compute.equals(other.compute));
  }

  /** {@code MIG 5/0}, {@code MIG 5}. */
  @Override
  public String toString() {
    return "MIG " + gpu + (compute.isEmpty() ? "" : "/" + compute.getAsInt());
  }
}
