package dev.rekindle.console;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * How many requests to the API server may be caused: by tokens that have never been valid here, or
 * by one user. Any program that reaches the console can send such tokens, and each costs a
 * TokenReview; any user can name ever new namespaces, and each costs a SubjectAccessReview.
 */
final class Allowance {
  private final int most;
  private final double nanosForOne;
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
    this(perSecond, Duration.ofSeconds(1), nanos);
  }

  /**
   * Full at the start.
   *
   * @param most how many requests in that time, and how many at once after a pause
   * @param nanos a clock that never steps, in nanoseconds
   */
  Allowance(int most, Duration time, LongSupplier nanos) {
    this.most = most;
    this.nanos = nanos;
    nanosForOne = (double) time.toNanos() / most;
    left = most;
    at = nanos.getAsLong();
  }

  /** Takes one; false where none is left. */
  boolean take() {
    return take(0);
  }

  /** Takes one; false where no more than so many are left. */
  synchronized boolean take(int rest) {
    fill();
    if (left < 1 + rest) {
      return false;
    }
    left--;
    return true;
  }

  /** How long it takes until one is there, if none is taken. */
  synchronized Duration untilNext() {
    fill();
    return Duration.ofNanos((long) Math.ceil(Math.max(0, 1 - left) * nanosForOne));
  }

  /** Whether none was taken lately. */
  synchronized boolean isFull() {
    fill();
    return left >= most;
  }

  private void fill() {
    long now = nanos.getAsLong();
    left = Math.min(most, left + (now - at) / nanosForOne);
    at = now;
  }
}
