package dev.rekindle.detect.pickle;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The bytes of a pickle, piece by piece, little-endian. */
public final class PickleInput {
  private static final int PIECE = 256 * 1024;
  private static final String CUT_OFF = "cut off: no STOP at the end of the pickle";

  private final Refill refill;
  private final byte[] buffer;
  private int at;
  private int end;

  /** Gives the bytes that come next. */
  @FunctionalInterface
  public interface Refill {
    /**
     * Fills the beginning of an array.
     *
     * @return how many bytes it put there; 0 or less where there are no more
     */
    int fill(byte[] into) throws IOException;
  }

  private PickleInput(byte[] buffer, int end, Refill refill) {
    this.buffer = buffer;
    this.end = end;
    this.refill = refill;
  }

  /** All bytes at once. */
  public static PickleInput of(byte[] bytes) {
    return new PickleInput(bytes, bytes.length, _ -> 0);
  }

  /** Bytes that are read when they are needed. */
  public static PickleInput of(Refill refill) {
    return new PickleInput(new byte[PIECE], 0, refill);
  }

  int oneByte() throws IOException {
    if (at == end) {
      refill();
    }
    return Byte.toUnsignedInt(buffer[at++]);
  }

  /** A number of at most eight bytes, without a sign where it has fewer. */
  long number(int length) throws IOException {
    long value = 0;
    for (int i = 0; i < length; i++) {
      value |= (long) oneByte() << (8 * i);
    }
    return value;
  }

  int fourBytes() throws IOException {
    return (int) number(4);
  }

  /**
   * A text; what is not there is not waited for with memory.
   *
   * @param length in bytes, not negative
   */
  String text(long length) throws IOException {
    if (length > Integer.MAX_VALUE - 8) {
      throw new PickleException("cut off: a text of " + Long.toUnsignedString(length) + " bytes");
    }
    if (length <= end - at) {
      var text = new String(buffer, at, (int) length, StandardCharsets.UTF_8);
      at += (int) length;
      return text;
    }
    var bytes = new byte[(int) Math.min(length, PIECE)];
    int got = 0;
    while (got < length) {
      if (at == end && !more()) {
        throw PickleException.cutOff("cut off: a text of " + length + " bytes");
      }
      if (got == bytes.length) {
        bytes = Arrays.copyOf(bytes, (int) Math.min(length, 2L * got));
      }
      int part = Math.min(bytes.length - got, end - at);
      System.arraycopy(buffer, at, bytes, got, part);
      at += part;
      got += part;
    }
    return new String(bytes, 0, got, StandardCharsets.UTF_8);
  }

  /** A text up to the end of its line, of at most so many bytes. */
  String line(int most) throws IOException {
    var line = new StringBuilder();
    for (int c = oneByte(); c != '\n'; c = oneByte()) {
      if (line.length() == most) {
        throw new PickleException("a name of more than " + most + " characters");
      }
      line.append((char) c);
    }
    return line.toString();
  }

  void skip(long length) throws IOException {
    if (length < 0) {
      throw PickleException.cutOff(CUT_OFF);
    }
    for (long left = length; left > 0; ) {
      if (at == end) {
        refill();
      }
      int part = (int) Math.min(left, end - at);
      at += part;
      left -= part;
    }
  }

  private void refill() throws IOException {
    if (!more()) {
      throw PickleException.cutOff(CUT_OFF);
    }
  }

  private boolean more() throws IOException {
    int got = refill.fill(buffer);
    at = 0;
    end = Math.max(0, got);
    return got > 0;
  }
}
