package dev.rekindle.detect.stall;

import dev.rekindle.detect.ncclog.NcclLine;

/**
 * Where a line stands among others. Lines of one log are in its order; those of two by their times,
 * where both have one.
 *
 * @param source which log
 * @param position place in it
 * @param millis time, by the clock of its host; -1 where the line has none
 */
public record LogOrder(int source, long position, long millis) {
  /** Clocks of hosts differ by less. */
  private static final long SKEW_MILLIS = 2_000;

  /** Whether this line is known to be the earlier one. */
  public boolean isBefore(LogOrder other) {
    if (source == other.source) {
      return position < other.position;
    }
    if (millis < 0 || other.millis < 0) {
      return false;
    }
    long later = other.millis - millis;
    // Lines have no year: New Year's Eve is before New Year.
    if (later < -NcclLine.YEAR / 2) {
      later += NcclLine.YEAR;
    } else if (later > NcclLine.YEAR / 2) {
      later -= NcclLine.YEAR;
    }
    return later > SKEW_MILLIS;
  }
}
