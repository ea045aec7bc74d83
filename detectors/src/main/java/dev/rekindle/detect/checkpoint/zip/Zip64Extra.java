package dev.rekindle.detect.checkpoint.zip;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Sizes and offset of an entry that do not fit into 32 bits (APPNOTE 4.5.3).
 *
 * @param original length of its data before it was compressed
 * @param stored length of its data in the file
 * @param offset where its local header is
 */
record Zip64Extra(long original, long stored, long offset) {
  private static final int TAG = 1;
  private static final long IN_EXTRA = 0xFFFFFFFFL;

  /** Reads the field; only values that the directory gives as all ones are in it, in this order. */
  static Optional<Zip64Extra> read(ByteBuffer extra, long original, long stored, long offset) {
    while (extra.remaining() >= 4) {
      var tag = Short.toUnsignedInt(extra.getShort());
      var length = Short.toUnsignedInt(extra.getShort());
      if (length > extra.remaining()) {
        return Optional.empty();
      }
      if (tag != TAG) {
        extra.position(extra.position() + length);
        continue;
      }
      var fieldEnd = extra.position() + length;
      var values = new long[] {original, stored, offset};
      for (int i = 0; i < values.length; i++) {
        if (values[i] == IN_EXTRA) {
          if (fieldEnd - extra.position() < 8) {
            return Optional.empty();
          }
          values[i] = extra.getLong();
        }
      }
      return Optional.of(new Zip64Extra(values[0], values[1], values[2]));
    }
    return Optional.empty();
  }
}
