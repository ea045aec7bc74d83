package dev.rekindle.detect.rdma;

import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * What one port of one RDMA device says.
 *
 * @param id device and port, {@code mlx5_0/1}
 * @param device its device, {@code mlx5_0}
 * @param pci address of the device, {@code 0000:3b:00.0}; empty where it has none
 * @param up whether it can carry traffic
 * @param shown what it says of its state, for people: {@code 4: ACTIVE, 5: LinkUp, 400 Gb/sec (4X
 *     NDR), InfiniBand}
 * @param rate its speed in Gb/s; 0 when it says none
 * @param counters its counters by name; those that cannot be read are missing
 */
record PortReading(
    String id,
    String device,
    String pci,
    boolean up,
    String shown,
    int rate,
    NavigableMap<String, Long> counters) {
  PortReading {
    counters = new TreeMap<>(counters);
  }
}
