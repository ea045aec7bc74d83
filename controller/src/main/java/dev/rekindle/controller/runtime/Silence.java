package dev.rekindle.controller.runtime;

import dev.rekindle.detect.SteadyClock;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * For how long something has been seen unchanged, by a clock that never steps: what others write of
 * the time by their own clocks is compared with nothing. Used by one thread at a time.
 */
public final class Silence {
  private final SteadyClock clock;
  private @Nullable Object last;
  private Instant since;

  /** Nothing was seen yet. */
  public Silence(SteadyClock clock) {
    this.clock = clock;
    this.since = clock.instant();
  }

  /** For how long it has been like this, as far as this process has seen. */
  public Duration of(Object seen) {
    Instant now = clock.instant();
    if (!seen.equals(last)) {
      last = seen;
      since = now;
    }
    return Duration.between(since, now);
  }
}
