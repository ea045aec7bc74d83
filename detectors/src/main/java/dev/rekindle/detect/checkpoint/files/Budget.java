package dev.rekindle.detect.checkpoint.files;

import java.time.Duration;
import java.util.function.LongSupplier;

/** What is left of the limits while a scan runs; one thread. */
public final class Budget {
  /** Of all folders of one generation; with their names they fit into the inspector's memory. */
  private static final int MOST_ENTRIES = 250_000;

  private final Limits limits;
  private final LongSupplier nanos;
  private final long began;
  private long bytesRead;
  private long entriesListed;
  private boolean endsAreRead = true;

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
    entriesListed = 0;
  }

  /** Whether the end of each shard is to be read, which is one more request for each. */
  public void readEnds(boolean wanted) {
    endsAreRead = wanted;
  }

  /** The same. */
  public boolean readsEnds() {
    return endsAreRead;
  }

  /**
   * Counts entries of folders that were listed for one generation.
   *
   * @throws LimitException when they are more than there may be: folders that hold one another
   */
  void listed(int entries) throws LimitException {
    entriesListed += entries;
    if (entriesListed > MOST_ENTRIES) {
      throw new LimitException(
          "more than " + MOST_ENTRIES + " files and folders in one checkpoint");
    }
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
   * Checks the time.
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
