package dev.rekindle.fuzz;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/**
 * Says whether a reader holds on one input: it throws nothing, and takes no more memory than so.
 */
final class Oracle {
  /**
   * Bytes that a reader may allocate for one input: inputs are small here, so more than this is out
   * of all proportion.
   */
  static final long MOST = 64L << 20;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private Oracle() {}

  /** Reads an input; throws what the reader threw, or that it took too much. */
  static void check(Target target, byte[] input) throws Exception {
    var before = THREADS.getCurrentThreadAllocatedBytes();
    target.reader().read(input);
    var taken = THREADS.getCurrentThreadAllocatedBytes() - before;
    if (taken > MOST) {
      throw new AssertionError(
          "%s took %d MiB for %d bytes".formatted(target.name(), taken >> 20, input.length));
    }
  }
}
