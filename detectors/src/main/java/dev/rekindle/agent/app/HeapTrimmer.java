package dev.rekindle.agent.app;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.function.LongSupplier;

/**
 * Clears out the old part of the heap once some of it may have died. The collector would do that
 * only when the heap may grow no further, and an agent would come to weigh as much as it may. Used
 * by one thread.
 */
final class HeapTrimmer {
  /** What may come on top of what was there after the last clearing, in bytes. */
  static final long GROWTH = 2 << 20;

  private final LongSupplier used;
  private final Runnable collect;
  private long least = Long.MAX_VALUE;

  /**
   * Watches one.
   *
   * @param used bytes in it now
   * @param collect clears it out before it returns
   */
  HeapTrimmer(LongSupplier used, Runnable collect) {
    this.used = used;
    this.collect = collect;
  }

  /** That of this process; one that never grows where its collector has none. */
  static HeapTrimmer ofThisProcess() {
    return new HeapTrimmer(
        ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .filter(pool -> pool.getName().equals("Tenured Gen"))
            .findFirst()
            .<LongSupplier>map(HeapTrimmer::used)
            .orElse(() -> 0),
        System::gc);
  }

  private static LongSupplier used(MemoryPoolMXBean pool) {
    return () -> pool.getUsage().getUsed();
  }

  /** Checks it; to be called now and then. */
  void check() {
    var now = used.getAsLong();
    if (least != Long.MAX_VALUE && now > least + GROWTH) {
      collect.run();
      least = used.getAsLong();
    } else {
      least = Math.min(least, now);
    }
  }
}
