package dev.rekindle.detect.nvml;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Says from outside what the thread that calls the driver is doing, and for how long. By the
 * machine's own clock: a wall clock that is set must not look like a driver that hangs.
 */
final class NvmlWatch {
  private volatile @Nullable Stay stay;

  /**
   * What the thread went into.
   *
   * @param nanos reading of {@link System#nanoTime} by then
   */
  record Stay(String what, long nanos) {
    Duration lasted() {
      return Duration.ofNanos(System.nanoTime() - nanos);
    }
  }

  void enter(String what) {
    stay = new Stay(what, System.nanoTime());
  }

  void leave() {
    stay = null;
  }

  /** Where the thread is in the library, or null when it is not. */
  @Nullable Stay stay() {
    return stay;
  }
}
