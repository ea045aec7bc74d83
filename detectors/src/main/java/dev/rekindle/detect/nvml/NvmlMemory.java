package dev.rekindle.detect.nvml;

import java.time.Instant;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;

/**
 * What is kept from poll to poll, and over restarts of the agent and the node.
 *
 * @param gpus every GPU that ever answered, by its address
 * @param marks conditions that hold now
 */
record NvmlMemory(NavigableMap<String, KnownGpu> gpus, NavigableMap<GpuCode, Mark> marks) {
  static final NvmlMemory EMPTY = new NvmlMemory(new TreeMap<>(), new TreeMap<>());

  NvmlMemory {
    gpus = new TreeMap<>(gpus);
    marks = new TreeMap<>(marks);
  }

  /**
   * A condition of a GPU.
   *
   * @param pci its address; empty for the node
   * @param code code of the fault
   */
  record GpuCode(String pci, String code) implements Comparable<GpuCode> {
    @Override
    public int compareTo(GpuCode other) {
      var byPci = pci.compareTo(other.pci);
      return byPci == 0 ? code.compareTo(other.code) : byPci;
    }
  }

  /**
   * How long a condition holds.
   *
   * @param since when it was first read
   * @param reported when a fault was last reported for it; the epoch when it was not yet
   * @param bootId boot in which it was last read
   */
  record Mark(Instant since, Instant reported, String bootId) {
    Mark {
      Objects.requireNonNull(since);
      Objects.requireNonNull(reported);
      Objects.requireNonNull(bootId);
    }

    boolean wasReported() {
      return !reported.equals(Instant.EPOCH);
    }
  }
}
