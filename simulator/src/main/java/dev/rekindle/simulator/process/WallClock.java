package dev.rekindle.simulator.process;

import dev.rekindle.detect.SteadyClock;
import dev.rekindle.simulator.engine.Loop;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** The clock on the wall of the machine that a process runs on: it may be wrong, and may step. */
final class WallClock implements InstantSource {
  private final Loop loop;
  private final Duration skew;
  private Duration step = Duration.ZERO;

  WallClock(Loop loop, Duration skew) {
    this.loop = loop;
    this.skew = skew;
  }

  @Override
  public Instant instant() {
    return loop.instant().plus(skew).plus(step);
  }

  /** From now on it is wrong by that, on top of what it was wrong by when its process began. */
  void isWrongBy(Duration by) {
    step = by;
  }

  /** The clock of the same machine that never steps. */
  SteadyClock steady() {
    return SteadyClock.over(loop);
  }
}
