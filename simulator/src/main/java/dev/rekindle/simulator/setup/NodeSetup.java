package dev.rekindle.simulator.setup;

/**
 * A node at the start.
 *
 * @param name node name
 * @param leaf value of its label {@code topology.rekindle.dev/leaf}: nodes of one leaf hang on one
 *     switch
 * @param gpus GPUs, the extended resource that the scheduler counts
 * @param rdma whether NCCL finds a device for RDMA there; no object shows it
 */
public record NodeSetup(String name, String leaf, int gpus, boolean rdma) {
  /** One with RDMA. */
  public NodeSetup(String name, String leaf, int gpus) {
    this(name, leaf, gpus, true);
  }
}
