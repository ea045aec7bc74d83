package dev.rekindle.simulator.setup;

/**
 * A node at the start.
 *
 * @param name node name
 * @param leaf value of its label {@code topology.rekindle.dev/leaf}: nodes of one leaf hang on one
 *     switch
 * @param gpus GPUs, the extended resource that the scheduler counts
 * @param rdma whether NCCL finds a device for RDMA there; no object shows it
 * @param uuids where the UUIDs of its GPUs can be read
 */
public record NodeSetup(String name, String leaf, int gpus, boolean rdma, GpuUuids uuids) {
  /** Where the UUIDs of the GPUs of a node can be read. */
  public enum GpuUuids {
    /** Nowhere. */
    NOWHERE,
    /** In the kernel log, before the first error of a boot. */
    LOG,
    /** There, and in the status of the pods that hold them. */
    LOG_AND_PODS
  }

  /** One with RDMA. */
  public NodeSetup(String name, String leaf, int gpus) {
    this(name, leaf, gpus, true);
  }

  /** One whose GPUs are known by their addresses only. */
  public NodeSetup(String name, String leaf, int gpus, boolean rdma) {
    this(name, leaf, gpus, rdma, GpuUuids.NOWHERE);
  }

  /** The same, with GPUs whose UUIDs can be read there. */
  public NodeSetup with(GpuUuids next) {
    return new NodeSetup(name, leaf, gpus, rdma, next);
  }
}
