package dev.rekindle.detect.checkpoint.zip;

import java.nio.ByteBuffer;
import java.util.stream.LongStream;

/** Where a central directory says that its entries begin: a hint, and so nothing is checked. */
final class ZipOffsets {
  private static final int SIGNATURE = 0x02014b50;
  private static final int SIZE = 46;
  private static final long IN_EXTRA = 0xFFFFFFFFL;

  private ZipOffsets() {}

  /** As many as can be read, in rising order. */
  static long[] of(ByteBuffer directory) {
    var offsets = LongStream.builder();
    while (directory.remaining() >= SIZE && directory.getInt(directory.position()) == SIGNATURE) {
      var at = directory.position();
      var name = Short.toUnsignedInt(directory.getShort(at + 28));
      var extra = Short.toUnsignedInt(directory.getShort(at + 30));
      var comment = Short.toUnsignedInt(directory.getShort(at + 32));
      if (directory.remaining() < SIZE + name + extra + comment) {
        break;
      }
      var stored = Integer.toUnsignedLong(directory.getInt(at + 20));
      var original = Integer.toUnsignedLong(directory.getInt(at + 24));
      var offset = Integer.toUnsignedLong(directory.getInt(at + 42));
      if (offset == IN_EXTRA) {
        offset =
            Zip64Extra.read(
                    directory.slice(at + SIZE + name, extra).order(directory.order()),
                    original,
                    stored,
                    offset)
                .map(Zip64Extra::offset)
                .orElse(-1L);
      }
      offsets.add(offset);
      directory.position(at + SIZE + name + extra + comment);
    }
    return offsets.build().sorted().distinct().toArray();
  }
}
