package dev.rekindle.detect.progress;

/**
 * Knows a count that moves from one that is repeated. Several processes may print the same numbers
 * a little apart, so a number that is not higher than the last is no move. Where a lower count
 * keeps growing by itself, it was restarted.
 */
final class RisingCount {
  /** Lower numbers in a row, each above the one before, that show that the count is there again. */
  static final int GROWING = 3;

  private long last = -1;
  private long lower = -1;
  private int growing;

  /** What a number did. */
  enum Move {
    NONE,
    RISEN,
    BEGUN_ANEW
  }

  /** Takes one number that was printed. */
  Move take(long number) {
    if (number > last) {
      last = number;
      forgetLower();
      return Move.RISEN;
    }
    if (number == last) {
      return Move.NONE;
    }
    growing = number > lower ? growing + 1 : 1;
    lower = number;
    if (growing < GROWING) {
      return Move.NONE;
    }
    last = number;
    forgetLower();
    return Move.BEGUN_ANEW;
  }

  private void forgetLower() {
    lower = -1;
    growing = 0;
  }
}
