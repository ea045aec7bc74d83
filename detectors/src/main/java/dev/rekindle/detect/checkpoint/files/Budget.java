package dev.rekindle.detect.checkpoint.files;

import java.time.Duration;
import java.util.function.LongSupplier;

/** What is left of the limits while a scan runs; one thread. */
public final class Budget {
  private final Limits limits;
  private final LongSupplier nanos;
  private final long began;
  private long bytesRead;

  /**
   * A whole budget.
   *
   * @param nanos a clock that never steps, such as {@code System::nanoTime}
   */
  public Budget(Limits limits, LongSupplier nanos) {
    this.limits = limits;
    this.nanos = nanos;
    this.began = nanos.getAsLong();
  }

  /** The limits that it began with. */
  public Limits limits() {
    return limits;
  }

  /** Begins with another generation, which has bytes of its own. */
  public void nextGeneration() {
    bytesRead = 0;
  }

  /**
   * Counts bytes that are about to be read.
   *
   * @throws LimitException when they are more than there may be
   * @throws TimeOverException when the time is over
   */
  public void read(long bytes) throws LimitException, TimeOverException {
    bytesRead += bytes;
    if (bytesRead > limits.bytes()) {
      throw new LimitException("more than " + limits.bytes() + " bytes would have to be read");
    }
    time();
  }

  /**
   * Looks at the time.
   *
   * @throws TimeOverException when it is over
   */
  public void time() throws TimeOverException {
    if (spent().compareTo(limits.time()) > 0) {
      throw new TimeOverException("the scan took longer than " + limits.time().toSeconds() + " s");
    }
  }

  /** How long the scan has run. */
  public Duration spent() {
    return Duration.ofNanos(nanos.getAsLong() - began);
  }
}
