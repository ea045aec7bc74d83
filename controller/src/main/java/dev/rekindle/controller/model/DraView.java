package dev.rekindle.controller.model;

import dev.rekindle.detect.node.DeviceSlice;
import dev.rekindle.detect.node.DeviceTaint;
import java.util.List;

/**
 * What dynamic resource allocation shows of the devices of a node.
 *
 * @param slices its ResourceSlices: a driver without one is away
 * @param taints taints of devices, from these and from rules for their pools
 */
public record DraView(List<DeviceSlice> slices, List<DeviceTaint> taints) {
  /** A node without slices. */
  public static final DraView NONE = new DraView(List.of(), List.of());

  public DraView {
    slices = List.copyOf(slices);
    taints = List.copyOf(taints);
  }
}
