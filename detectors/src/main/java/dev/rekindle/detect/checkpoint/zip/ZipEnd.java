package dev.rekindle.detect.checkpoint.zip;

import dev.rekindle.detect.checkpoint.files.Source;
import java.io.IOException;
import java.util.Optional;

/**
 * The end-of-central-directory record of a zip file, with its ZIP64 part where there is one (PKWARE
 * APPNOTE 4.3.14 to 4.3.16). {@code torch.save} always writes the ZIP64 part.
 *
 * @param entries number of entries
 * @param directoryOffset where the central directory begins
 * @param directorySize its length in bytes
 * @param endOffset where the end records begin: the central directory must reach to here
 */
record ZipEnd(long entries, long directoryOffset, long directorySize, long endOffset) {
  private static final int END_SIGNATURE = 0x06054b50;
  private static final int LOCATOR_SIGNATURE = 0x07064b50;
  private static final int END64_SIGNATURE = 0x06064b50;
  private static final int END_SIZE = 22;
  private static final int LOCATOR_SIZE = 20;
  private static final int END64_SIZE = 56;
  private static final int MAX_COMMENT = 0xFFFF;

  /** The record at the tail of a file of this size; empty when there is none that is complete. */
  static Optional<ZipEnd> find(Source file, long size) throws IOException {
    var tailLength = (int) Math.min(size, END_SIZE + MAX_COMMENT);
    var tail = file.read(size - tailLength, tailLength);
    for (var at = tailLength - END_SIZE; at >= 0; at--) {
      if (tail.getInt(at) == END_SIGNATURE
          && at + END_SIZE + Short.toUnsignedInt(tail.getShort(at + 20)) == tailLength) {
        var end = size - tailLength + at;
        var entries = Short.toUnsignedLong(tail.getShort(at + 10));
        var length = Integer.toUnsignedLong(tail.getInt(at + 12));
        var offset = Integer.toUnsignedLong(tail.getInt(at + 16));
        var small = new ZipEnd(entries, offset, length, end);
        var big = find64(file, end);
        return big.isEmpty() ? Optional.of(small) : big.filter(small::mayStandFor);
      }
    }
    return Optional.empty();
  }

  /** Whether each value is the one of the ZIP64 record, or all ones, which refers to that. */
  private boolean mayStandFor(ZipEnd big) {
    return (entries == 0xFFFFL || entries == big.entries)
        && (directorySize == 0xFFFFFFFFL || directorySize == big.directorySize)
        && (directoryOffset == 0xFFFFFFFFL || directoryOffset == big.directoryOffset);
  }

  private static Optional<ZipEnd> find64(Source file, long end) throws IOException {
    if (end < LOCATOR_SIZE + END64_SIZE) {
      return Optional.empty();
    }
    var locator = file.read(end - LOCATOR_SIZE, LOCATOR_SIZE);
    if (locator.getInt(0) != LOCATOR_SIGNATURE) {
      return Optional.empty();
    }
    // In one file, as every reader of such an archive wants it.
    if (locator.getInt(4) != 0 || locator.getInt(16) != 1) {
      return Optional.empty();
    }
    var at = locator.getLong(8);
    if (at < 0 || at > end - LOCATOR_SIZE - END64_SIZE) {
      return Optional.empty();
    }
    var record = file.read(at, END64_SIZE);
    return record.getInt(0) == END64_SIGNATURE
            && record.getLong(4) >= END64_SIZE - 12
            && record.getLong(16) == 0
            && record.getLong(24) == record.getLong(32)
        ? Optional.of(new ZipEnd(record.getLong(32), record.getLong(48), record.getLong(40), at))
        : Optional.empty();
  }
}
