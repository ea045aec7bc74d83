package dev.rekindle.console;

import java.util.HashMap;
import java.util.Map;

/**
 * How many streams are open, of all users and of each: one that opens many leaves some to others.
 */
final class Streams {
  private final int most;
  private final int mostOfOne;
  private final Map<String, Integer> open = new HashMap<>();
  private int all;

  /**
   * None is open.
   *
   * @param most how many may be at once
   * @param mostOfOne how many of one user
   */
  Streams(int most, int mostOfOne) {
    this.most = most;
    this.mostOfOne = mostOfOne;
  }

  /** Whether one more may be opened. */
  synchronized boolean hasRoom(Visitor visitor) {
    return all < most && open.getOrDefault(visitor.owner(), 0) < mostOfOne;
  }

  /** Counts one more; false where there is no room for it. */
  synchronized boolean open(Visitor visitor) {
    if (!hasRoom(visitor)) {
      return false;
    }
    open.merge(visitor.owner(), 1, Integer::sum);
    all++;
    return true;
  }

  /** One is over. */
  synchronized void close(Visitor visitor) {
    open.computeIfPresent(visitor.owner(), (_, count) -> count > 1 ? count - 1 : null);
    all--;
  }
}
