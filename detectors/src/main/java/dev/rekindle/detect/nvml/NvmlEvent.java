package dev.rekindle.detect.nvml;

import dev.rekindle.detect.MigInstance;
import java.util.Optional;

/**
 * Something that NVML reported by itself.
 *
 * @param pci address of the GPU, {@code 0000:3b:00}
 * @param type its bit in the mask of event types
 * @param data the XID where the type is {@link #XID}, 999 when NVML does not know it
 * @param part the part of a partitioned GPU that it is about, where NVML says
 */
record NvmlEvent(String pci, long type, long data, Optional<MigInstance> part) {
  /** A critical XID. */
  static final long XID = 0x8;

  /** Poisoned memory was consumed, and the GPU cannot continue. */
  static final long FATAL_POISON = 0x2000;

  /** The GPU cannot be used. */
  static final long GPU_UNAVAILABLE = 0x4000;

  /** What the driver requests has changed; the poll says to what. */
  static final long RECOVERY_ACTION = 0x8000;

  /** What is listened to, where a GPU supports it. */
  static final long WANTED = XID | FATAL_POISON | GPU_UNAVAILABLE | RECOVERY_ACTION;
}
