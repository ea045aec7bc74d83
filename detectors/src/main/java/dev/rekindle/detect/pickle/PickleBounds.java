package dev.rekindle.detect.pickle;

/**
 * What a pickle may have at most.
 *
 * @param objects values that it makes, and marks; four references to those count as one
 * @param stack values that wait to be put into another one
 * @param memo values that it keeps to refer to
 * @param textBytes bytes of all its texts
 */
public record PickleBounds(long objects, int stack, int memo, long textBytes) {
  /** Where the number of objects bounds everything else. */
  public static PickleBounds objects(int most) {
    return new PickleBounds(most, most, most, Long.MAX_VALUE);
  }
}
