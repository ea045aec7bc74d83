package dev.rekindle.detect.nvml;

import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * How busy a GPU was at one poll.
 *
 * @param utilization percent of the last sample period in which a kernel ran
 * @param memory percent of it in which memory was read or written
 * @param watts power; 0 where it does not report it
 * @param processes bytes of its memory by the process that computes on it, numbered as on the node
 */
record GpuUse(int utilization, int memory, int watts, NavigableMap<Long, Long> processes) {
  GpuUse {
    processes = new TreeMap<>(processes);
  }
}
