package dev.rekindle.detect.kmsg;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * When the running boot began, by what the wall clock says now: at the start of a node it is often
 * wrong, and is set later. As long as it is not set the answer is the same to the nanosecond, so
 * that records are as far apart as the kernel says. For many threads.
 */
final class BootClock implements InstantSource {
  /** More than reading clocks takes, and less than a fault and its clearance are apart. */
  static final Duration TOLERANCE = Duration.ofMillis(100);

  /** What is read in a longer time than this may be of different moments. */
  static final Duration PROMPT = Duration.ofMillis(10);

  private final InstantSource wall;
  private final LongSupplier nanoTime;
  private final long began;
  private Instant held;

  /**
   * A boot that has lasted for so long.
   *
   * @param nanoTime a clock that is never set, in nanoseconds
   */
  BootClock(InstantSource wall, LongSupplier nanoTime, Duration uptime) {
    this.wall = wall;
    this.nanoTime = nanoTime;
    this.began = nanoTime.getAsLong() - uptime.toNanos();
    this.held = wall.instant().minus(uptime);
  }

  @Override
  public synchronized Instant instant() {
    var before = nanoTime.getAsLong();
    var now = wall.instant();
    var after = nanoTime.getAsLong();
    if (after - before <= PROMPT.toNanos()) {
      var boot = now.minusNanos(after - began);
      if (Duration.between(held, boot).abs().compareTo(TOLERANCE) > 0) {
        held = boot;
      }
    }
    return held;
  }
}
