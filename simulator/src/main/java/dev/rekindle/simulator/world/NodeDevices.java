package dev.rekindle.simulator.world;

import dev.rekindle.detect.node.Shortfall;
import java.util.ArrayList;
import java.util.List;

/**
 * The devices in the status of a node, by its kubelet and HAMi.
 *
 * @param gpus GPUs that it has
 * @param offered GPUs that pods may request
 * @param rdma whether there ever was a plugin of RDMA devices
 * @param hcas shares of RDMA devices that it has
 * @param hcasOffered shares of RDMA devices that pods may request
 * @param sick UUIDs of GPUs that HAMi registers as unhealthy
 */
record NodeDevices(
    int gpus, int offered, boolean rdma, int hcas, int hcasOffered, List<String> sick) {
  static final String GPUS = "nvidia.com/gpu";
  static final String HCAS = "rdma/hca_shared_devices_a";

  NodeDevices {
    sick = List.copyOf(sick);
  }

  /** All of so many GPUs, and nothing else. */
  static NodeDevices all(int gpus) {
    return new NodeDevices(gpus, gpus, false, 0, 0, List.of());
  }

  /**
   * Resources of which there are fewer to give than there are, or that the kubelet has forgotten.
   */
  List<Shortfall> shortfalls() {
    List<Shortfall> shortfalls = new ArrayList<>();
    if (offered < gpus || gpus == 0) {
      shortfalls.add(new Shortfall(GPUS, gpus, offered));
    }
    if (hcasOffered < hcas || (rdma && hcas == 0)) {
      shortfalls.add(new Shortfall(HCAS, hcas, hcasOffered));
    }
    return shortfalls;
  }
}
