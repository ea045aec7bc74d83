package dev.rekindle.simulator.world;

import java.time.Instant;

/**
 * What somebody says of a device of a node, whether or not an object shows it now.
 *
 * @param fault name of the NodeFault that is written for it
 * @param since since when it holds
 * @param kind who says so
 */
public record DeviceSign(String fault, Instant since, Kind kind) {
  /** Who says so. */
  public enum Kind {
    /** A device plugin, of one GPU. */
    MARK,
    /** A device plugin that is away, or holds GPUs back. */
    GPUS_SHORT,
    /** The same of RDMA devices. */
    HCAS_SHORT,
    /** HAMi, of one GPU. */
    HAMI,
    /** A DRA driver, of devices of which it says which they are. */
    TAINT,
    /** A DeviceTaintRule. */
    RULE
  }
}
