package dev.rekindle.detect.stall;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Whether the times of files may be those at which dumps were written. A copy, an archive or a
 * checkout gives all files one time, or one after the other. Processes write their dumps as each
 * comes to it, within a second or more.
 */
final class FileTimes {
  /** Processes that poll once a second do not all write within so short a time. */
  private static final long ALIKE = TimeUnit.MILLISECONDS.toNanos(20);

  /** Few files may be in order by chance; those of a copy follow each other at once. */
  private static final long AT_ONCE = TimeUnit.MILLISECONDS.toNanos(250);

  private static final int FEW = 4;

  /** One of 5,040 orders of so many. */
  private static final int MANY = 7;

  private FileTimes() {}

  /**
   * Whether they are those of copying.
   *
   * @param byRank in nanoseconds, in the order of ranks
   * @param byName the same in the order of names, which a copy may have followed
   */
  static boolean areOfCopies(List<Long> byRank, List<Long> byName) {
    if (byRank.size() < 2) {
      return false;
    }
    return spread(byRank) < ALIKE || isInOrder(byRank) || isInOrder(byName);
  }

  private static long spread(Collection<Long> times) {
    var all = times.stream().mapToLong(time -> time).summaryStatistics();
    return all.getMax() - all.getMin();
  }

  private static boolean isInOrder(List<Long> times) {
    if (times.size() < FEW) {
      return false;
    }
    long longest = 0;
    for (int i = 1; i < times.size(); i++) {
      long gap = times.get(i) - times.get(i - 1);
      if (gap < 0) {
        return false;
      }
      longest = Math.max(longest, gap);
    }
    return times.size() >= MANY || longest < AT_ONCE;
  }
}
