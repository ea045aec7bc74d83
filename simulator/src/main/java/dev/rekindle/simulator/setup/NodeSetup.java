package dev.rekindle.simulator.setup;

import dev.rekindle.controller.model.NodeRoom.NodeTaint;
import java.util.List;
import java.util.Map;

/**
 * A node at the start.
 *
 * @param name node name
 * @param leaf value of its label {@code topology.rekindle.dev/leaf}: nodes of one leaf hang on one
 *     switch
 * @param gpus GPUs, the extended resource that the scheduler counts
 * @param rdma whether NCCL finds a device for RDMA there; no object shows it
 * @param uuids where the UUIDs of its GPUs can be read
 * @param labels its other labels
 * @param taints taints that an administrator has set
 */
public record NodeSetup(
    String name,
    String leaf,
    int gpus,
    boolean rdma,
    GpuUuids uuids,
    Map<String, String> labels,
    List<NodeTaint> taints) {
  /** Where the UUIDs of the GPUs of a node can be read. */
  public enum GpuUuids {
    /** Nowhere. */
    NOWHERE,
    /** In the kernel log, before the first error of a boot. */
    LOG,
    /** There, and in the status of the pods that hold them. */
    LOG_AND_PODS
  }

  public NodeSetup {
    labels = Map.copyOf(labels);
    taints = List.copyOf(taints);
  }

  /** One with RDMA. */
  public NodeSetup(String name, String leaf, int gpus) {
    this(name, leaf, gpus, true);
  }

  /** One whose GPUs are known by their addresses only. */
  public NodeSetup(String name, String leaf, int gpus, boolean rdma) {
    this(name, leaf, gpus, rdma, GpuUuids.NOWHERE, Map.of(), List.of());
  }

  /** The same, with GPUs whose UUIDs can be read there. */
  public NodeSetup with(GpuUuids next) {
    return new NodeSetup(name, leaf, gpus, rdma, next, labels, taints);
  }

  /** The same with other labels and taints. */
  public NodeSetup with(Map<String, String> others, List<NodeTaint> otherTaints) {
    return new NodeSetup(name, leaf, gpus, rdma, uuids, others, otherTaints);
  }
}
