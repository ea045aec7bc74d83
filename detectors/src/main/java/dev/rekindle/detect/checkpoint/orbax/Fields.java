package dev.rekindle.detect.checkpoint.orbax;

import dev.rekindle.detect.checkpoint.files.LimitException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/** Fields of a manifest or node, one after the other. */
final class Fields {
  private static final int LONGEST_NUMBER = 10;

  private final InputStream in;
  private final String what;

  Fields(InputStream in, String what) {
    this.in = in;
    this.what = what;
  }

  /** What it is, for reasons. */
  String what() {
    return what;
  }

  int oneByte() throws IOException {
    int value = in.read();
    if (value < 0) {
      throw new EOFException(what + " ends within a field");
    }
    return value;
  }

  /** A number of seven bits a byte, the lowest first; 64 bits without a sign. */
  long number() throws IOException {
    long value = 0;
    for (int i = 0; i < LONGEST_NUMBER; i++) {
      int next = oneByte();
      value |= (long) (next & 127) << (7 * i);
      if (next < 128) {
        return value;
      }
    }
    throw OcdbtException.unknown(what + " has a number of more than 64 bits");
  }

  /** A number that is at most so large. */
  int count(int most, String of) throws IOException {
    long value = number();
    if (Long.compareUnsigned(value, most) > 0) {
      throw new LimitException(
          what + " has " + Long.toUnsignedString(value) + " " + of + ", more than " + most);
    }
    return (int) value;
  }

  void skipNumbers(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      number();
    }
  }

  byte[] bytes(int count) throws IOException {
    var bytes = in.readNBytes(count);
    if (bytes.length < count) {
      throw new EOFException(what + " ends within a field");
    }
    return bytes;
  }

  void skip(long bytes) throws IOException {
    in.skipNBytes(bytes);
  }
}
