package dev.rekindle.controller.runtime;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long to wait before the n-th repetition: doubling from a first delay up to a longest one,
 * each time between half and all of it, so that keys that failed together do not come back
 * together.
 *
 * @param first delay after the first failure
 * @param longest no delay is longer
 * @param random source of the jitter
 */
public record Backoff(Duration first, Duration longest, RandomGenerator random) {
  private static final int MAX_DOUBLINGS = 30;

  /** The delay after so many failures in a row, counted from 1. */
  public Duration after(int failures) {
    long doubled = first.toNanos();
    for (int i = 1; i < Math.min(failures, MAX_DOUBLINGS) && doubled < longest.toNanos(); i++) {
      doubled *= 2;
    }
    long full = Math.min(doubled, longest.toNanos());
    return Duration.ofNanos(full / 2 + (long) (full / 2.0 * random.nextDouble()));
  }
}
