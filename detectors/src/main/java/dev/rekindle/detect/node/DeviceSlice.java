package dev.rekindle.detect.node;

import java.util.List;

/**
 * What is kept of a ResourceSlice: where its devices are, and which of them are tainted.
 *
 * @param node the node that has the devices; empty when they belong to no single one
 * @param driver their driver
 * @param pool their pool
 * @param taints taints of devices, at most 256
 */
public record DeviceSlice(String node, String driver, String pool, List<DeviceTaint> taints) {
  public DeviceSlice {
    taints = List.copyOf(taints);
  }
}
