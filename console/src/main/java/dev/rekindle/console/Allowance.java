package dev.rekindle.console;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How many requests to the API server tokens may cause that have never been valid here. Any program
 * that reaches the console can send such tokens, and each costs a TokenReview.
 */
final class Allowance {
  private final int perSecond;
  private final LongSupplier nanos;
  private double left;
  private long at;

  /**
   * Full at the start.
   *
   * @param perSecond how many requests a second, and how many at once after a pause
   * @param nanos a clock that never steps, in nanoseconds
   */
  Allowance(int perSecond, LongSupplier nanos) {
    this.perSecond = perSecond;
    this.nanos = nanos;
    left = perSecond;
    at = nanos.getAsLong();
  }

  /** Takes one; false where none is left. */
  synchronized boolean take() {
    long now = nanos.getAsLong();
    double seconds = (double) (now - at) / TimeUnit.SECONDS.toNanos(1);
    left = Math.min(perSecond, left + seconds * perSecond);
    at = now;
    if (left < 1) {
      return false;
    }
    left--;
    return true;
  }
}
