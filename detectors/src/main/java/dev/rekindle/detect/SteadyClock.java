package dev.rekindle.detect;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * A clock for what is to happen after a while: it never steps, whatever happens to the clock of the
 * machine. Its times mean nothing outside this process: none is ever written down or compared with
 * one that is.
 */
public final class SteadyClock implements InstantSource {
  private final LongSupplier nanos;
  private final long start;

  private SteadyClock(LongSupplier nanos) {
    this.nanos = nanos;
    this.start = nanos.getAsLong();
  }

  /** The clock of this process. */
  public static SteadyClock system() {
    return new SteadyClock(System::nanoTime);
  }

  /** One that counts the given nanoseconds, which never run backwards. */
  public static SteadyClock of(LongSupplier nanos) {
    return new SteadyClock(nanos);
  }

  /** One over a clock that is known never to step, such as that of a simulation. */
  public static SteadyClock over(InstantSource neverSteps) {
    Instant start = neverSteps.instant();
    return new SteadyClock(() -> Duration.between(start, neverSteps.instant()).toNanos());
  }

  /**
   * Times that begin with the given one now, and go on by this clock: those of a clock on the wall
   * that was right once and is never set.
   */
  public InstantSource from(Instant begin) {
    Instant since = instant();
    return () -> begin.plus(Duration.between(since, instant()));
  }

  @Override
  public Instant instant() {
    return Instant.EPOCH.plusNanos(nanos.getAsLong() - start);
  }
}
