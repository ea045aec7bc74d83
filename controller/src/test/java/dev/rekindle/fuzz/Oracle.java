package dev.rekindle.fuzz;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/**
 * Says whether a reader holds on one input: it throws nothing, and takes no more memory and
 * processor time than so. What it keeps is bounded by what it allocates.
 */
final class Oracle {
  /**
   * Bytes that a reader may allocate for one input: inputs are small here, so more than this is out
   * of all proportion.
   */
  static final long MOST = 64L << 20;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private Oracle() {}

  /** Processor time of the thread for any input: a class may be loaded and compiled on the way. */
  static final long MOST_NANOS = 2_000_000_000L;

  /** And for each byte of it. The biggest input, 16 KiB, may so take 5 s. */
  static final long NANOS_PER_BYTE = 200_000;

  /** Reads an input; throws what the reader threw, or that it took too much. */
  static void check(Target target, byte[] input) throws Exception {
    var bytes = THREADS.getCurrentThreadAllocatedBytes();
    var nanos = THREADS.getCurrentThreadCpuTime();
    target.reader().read(input);
    var taken = THREADS.getCurrentThreadAllocatedBytes() - bytes;
    var took = THREADS.getCurrentThreadCpuTime() - nanos;
    if (taken > MOST) {
      throw new AssertionError(
          "%s took %d MiB for %d bytes".formatted(target.name(), taken >> 20, input.length));
    }
    if (took > MOST_NANOS + NANOS_PER_BYTE * input.length) {
      throw new AssertionError(
          "%s took %d ms of processor time for %d bytes"
              .formatted(target.name(), took / 1_000_000, input.length));
    }
  }
}
