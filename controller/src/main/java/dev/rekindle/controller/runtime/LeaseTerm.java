package dev.rekindle.controller.runtime;

import dev.rekindle.detect.SteadyClock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * For how long no other process can have taken the lease that this one holds: for its duration,
 * counted from when the last renewal that succeeded was sent. A process that stood still for longer
 * (stopped, swapped out, in a long collection) does not know yet that it leads no more, and its
 * next calls would be those of a second leader. By a clock that never steps. For many threads.
 */
public final class LeaseTerm {
  private final SteadyClock clock;
  private final Duration duration;
  private final AtomicReference<@Nullable Instant> until = new AtomicReference<>();

  /**
   * The lease is not held yet.
   *
   * @param duration how long others wait for a silent leader
   */
  public LeaseTerm(SteadyClock clock, Duration duration) {
    this.clock = clock;
    this.duration = duration;
  }

  /** The moment to hand to {@link #renewed} once the renewal that is about to be sent succeeded. */
  public Instant now() {
    return clock.instant();
  }

  /** The lease was acquired or renewed by a call that was sent then. */
  public void renewed(Instant sent) {
    until.set(sent.plus(duration));
  }

  /** Whether another process may hold the lease; not before this one has held it. */
  public boolean isOver() {
    Instant end = until.get();
    return end != null && !clock.instant().isBefore(end);
  }
}
