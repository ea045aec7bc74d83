package dev.rekindle.detect.checkpoint.orbax;

import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Verdict;
import java.io.IOException;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The manifest of a database of arrays (TensorStore, OCDBT storage format): a magic number, its own
 * length, its content, and the CRC-32C of all that.
 */
final class Manifest {
  static final String NAME = "manifest.ocdbt";

  private static final int MAGIC = 0x0cdb3a2a;
  private static final int LONGEST = 64 * 1024 * 1024;
  private static final int SHORTEST = 4 + 8 + 4;

  private Manifest() {}

  static Optional<Verdict> fault(Folder folder) throws IOException {
    try (var source = folder.open(NAME)) {
      var size = source.size();
      if (size < SHORTEST || size > LONGEST) {
        return torn(NAME + " has " + size + " bytes");
      }
      var bytes = source.read(0, (int) size);
      if (bytes.duplicate().order(ByteOrder.BIG_ENDIAN).getInt(0) != MAGIC) {
        return torn(NAME + " does not begin as one");
      }
      if (bytes.getLong(4) != size) {
        return torn(NAME + " has " + size + " bytes, and says " + bytes.getLong(4));
      }
      var sum = new CRC32C();
      sum.update(bytes.slice(0, (int) size - 4));
      return (int) sum.getValue() == bytes.getInt((int) size - 4)
          ? Optional.empty()
          : torn("the checksum of " + NAME + " does not fit it");
    }
  }

  private static Optional<Verdict> torn(String reason) {
    return Optional.of(Verdict.torn(Level.L3, reason));
  }
}
