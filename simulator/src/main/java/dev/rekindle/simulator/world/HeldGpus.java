package dev.rekindle.simulator.world;

import dev.rekindle.detect.node.DeviceHealth;
import dev.rekindle.detect.node.PodDevices;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * The GPUs of its node that a pod holds.
 *
 * @param first number of the first of them
 * @param count how many, one after the other
 * @param shown their UUIDs in the status of the pod; empty where it does not show them
 * @param unhealthy those of which its kubelet says that they are unhealthy
 */
record HeldGpus(int first, int count, List<String> shown, List<String> unhealthy) {
  /** Of a pod that has no node yet. */
  static final HeldGpus NONE = new HeldGpus(0, 0, List.of(), List.of());

  HeldGpus {
    shown = List.copyOf(shown);
    unhealthy = List.copyOf(unhealthy);
  }

  /** Whether that GPU is one of them. */
  boolean has(int gpu) {
    return gpu >= first && gpu < first + count;
  }

  /** Whether one of so many from that number on is one of them. */
  boolean overlaps(int from, int gpus) {
    return from < first + count && first < from + gpus;
  }

  /** The same, of which the kubelet says that those of these ids are unhealthy. */
  HeldGpus withUnhealthy(Collection<String> ids) {
    return new HeldGpus(first, count, shown, shown.stream().filter(ids::contains).toList());
  }

  /** What the controller can know of them. */
  PodDevices view() {
    return shown.isEmpty()
        ? PodDevices.UNKNOWN
        : new PodDevices(
            true,
            Set.copyOf(shown),
            unhealthy.stream().map(id -> new DeviceHealth(NodeDevices.GPUS, id, "")).toList());
  }
}
