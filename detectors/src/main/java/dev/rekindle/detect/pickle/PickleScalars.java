package dev.rekindle.detect.pickle;

import java.io.IOException;

/** Reads numbers and texts of a pickle, within its bounds. */
final class PickleScalars {
  private static final int MOST_BYTES_OF_A_NUMBER = 8;

  private final PickleInput in;
  private final PickleBounds bounds;
  private final boolean anyNumber;
  private long textBytes;

  /**
   * Of an input.
   *
   * @param anyNumber whether longer numbers are passed over
   */
  PickleScalars(PickleInput in, PickleBounds bounds, boolean anyNumber) {
    this.in = in;
    this.bounds = bounds;
    this.anyNumber = anyNumber;
  }

  /** A number with a sign, of so many bytes. */
  long number(int length) throws IOException {
    if (length > MOST_BYTES_OF_A_NUMBER) {
      if (anyNumber) {
        // The seed of a generator, for example: not needed.
        in.skip(length);
        return Long.MIN_VALUE;
      }
      throw new PickleException("a number of " + length + " bytes");
    }
    long value = in.number(length);
    boolean negative =
        length > 0 && length < MOST_BYTES_OF_A_NUMBER && (value >> (8 * length - 1) & 1) != 0;
    return negative ? value - (1L << (8 * length)) : value;
  }

  /** A text of so many bytes. */
  String text(long length) throws IOException {
    textBytes += Math.max(0, length);
    if (length < 0 || textBytes > bounds.textBytes()) {
      throw new PickleException("more than " + bounds.textBytes() + " bytes of text");
    }
    return in.text(length);
  }
}
