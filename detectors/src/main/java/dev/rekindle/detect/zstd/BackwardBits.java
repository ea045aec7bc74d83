package dev.rekindle.detect.zstd;

/**
 * Bits from the end of a stream to its beginning. The highest bit that is set in the last byte
 * marks the end. Before the beginning there are zeros; {@link #left} is negative then.
 */
final class BackwardBits {
  private final byte[] array;
  private final int start;
  private int left;

  private BackwardBits(byte[] array, int start, int left) {
    this.array = array;
    this.start = start;
    this.left = left;
  }

  static BackwardBits of(byte[] array, int start, int end) throws ZstdException {
    if (end == start || array[end - 1] == 0) {
      throw new ZstdException("a stream of bits has no end mark");
    }
    int unused = Integer.numberOfLeadingZeros(Byte.toUnsignedInt(array[end - 1])) - 24 + 1;
    return new BackwardBits(array, start, 8 * (end - start) - unused);
  }

  /** Bits that are left; negative when more were taken than there are. */
  int left() {
    return left;
  }

  /** At most 31 bits. */
  int read(int bits) {
    int value = peek(bits);
    left -= bits;
    return value;
  }

  /** The next bits without taking them. */
  int peek(int bits) {
    int from = left - bits;
    long mask = (1L << bits) - 1;
    if (from >= 0) {
      return (int) (Bytes.longAt(array, start + (from >>> 3)) >>> (from & 7) & mask);
    }
    if (left <= 0) {
      return 0;
    }
    return (int) ((Bytes.longAt(array, start) & ((1L << left) - 1)) << -from & mask);
  }

  void take(int bits) {
    left -= bits;
  }
}
