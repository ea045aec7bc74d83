package dev.rekindle.detect.zstd;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The bytes of one block, read from front to back. The array is longer than the block by {@link
 * #PADDING}, so that eight bytes may be read at once anywhere in it.
 */
final class Bytes {
  static final int PADDING = Long.BYTES;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final byte[] array;
  private final int end;
  private int at;

  Bytes(byte[] array, int length) {
    this(array, 0, length);
  }

  private Bytes(byte[] array, int at, int end) {
    if (end + PADDING > array.length) {
      throw new IllegalArgumentException("no padding");
    }
    this.array = array;
    this.at = at;
    this.end = end;
  }

  int left() {
    return end - at;
  }

  int oneByte() throws ZstdException {
    need(1);
    return Byte.toUnsignedInt(array[at++]);
  }

  /** A number of that many bytes, at most four. */
  int number(int bytes) throws ZstdException {
    need(bytes);
    var value = (int) ((long) LONG.get(array, at) & ((1L << (8 * bytes)) - 1));
    at += bytes;
    return value;
  }

  /** The next bytes as a block of their own. */
  Bytes part(int length) throws ZstdException {
    need(length);
    at += length;
    return new Bytes(array, at - length, at);
  }

  void copyTo(byte[] into, int length) throws ZstdException {
    need(length);
    System.arraycopy(array, at, into, 0, length);
    at += length;
  }

  /** Bits from the first one on; the lowest of a byte comes first. */
  ForwardBits forward() {
    return new ForwardBits(this);
  }

  /** Bits from the last one on, as entropy coding writes them. */
  BackwardBits backward() throws ZstdException {
    return BackwardBits.of(array, at, end);
  }

  /** Up to 56 bits at a place in bits after the current byte; what is after the end is garbage. */
  long bitsAt(int bit) {
    int from = at + (bit >>> 3);
    return from + PADDING > array.length ? 0 : (long) LONG.get(array, from) >>> (bit & 7);
  }

  void skip(int bytes) throws ZstdException {
    need(bytes);
    at += bytes;
  }

  static long longAt(byte[] array, int at) {
    return (long) LONG.get(array, at);
  }

  private void need(int bytes) throws ZstdException {
    if (bytes < 0 || bytes > end - at) {
      throw new ZstdException("a block ends within a field");
    }
  }
}
