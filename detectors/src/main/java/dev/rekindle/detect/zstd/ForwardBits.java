package dev.rekindle.detect.zstd;

/** Bits of a table's description, from its first byte on. */
final class ForwardBits {
  private final Bytes bytes;
  private int at;

  ForwardBits(Bytes bytes) {
    this.bytes = bytes;
  }

  /** The next bits without taking them, at most 16; zeros or garbage after the end. */
  int peek(int bits) {
    return (int) (bytes.bitsAt(at) & ((1L << bits) - 1));
  }

  void take(int bits) throws ZstdException {
    at += bits;
    if (at > 8L * bytes.left()) {
      throw new ZstdException("a block ends within a table");
    }
  }

  int read(int bits) throws ZstdException {
    int value = peek(bits);
    take(bits);
    return value;
  }

  /** Goes on at the byte after the last one that was begun. */
  void end() throws ZstdException {
    bytes.skip((at + 7) >>> 3);
  }
}
