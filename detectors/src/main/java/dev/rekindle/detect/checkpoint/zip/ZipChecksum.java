package dev.rekindle.detect.checkpoint.zip;

import dev.rekindle.detect.checkpoint.files.Source;
import java.io.IOException;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/** Reads the data of an entry from its beginning to its end, piece by piece. */
final class ZipChecksum {
  static final int DEFLATED = 8;

  private static final int PIECE = 1 << 20;

  /** No checksum is negative: data that cannot be inflated has none. */
  private static final long NONE = -1;

  private ZipChecksum() {}

  /**
   * The CRC-32 of an entry's data, as it was before it was compressed.
   *
   * @param original how long it was then: no more is inflated, whatever the data would give
   */
  static long of(Source file, long start, long stored, long original, int method)
      throws IOException {
    var crc = new CRC32();
    if (method != DEFLATED) {
      for (long at = 0; at < stored; at += PIECE) {
        crc.update(file.read(start + at, (int) Math.min(PIECE, stored - at)));
      }
      return crc.getValue();
    }
    var inflater = new Inflater(true);
    try {
      return inflated(file, start, stored, original, crc, inflater) ? crc.getValue() : NONE;
    } catch (DataFormatException e) {
      return NONE;
    } finally {
      inflater.end();
    }
  }

  private static boolean inflated(
      Source file, long start, long stored, long original, CRC32 crc, Inflater inflater)
      throws IOException, DataFormatException {
    var piece = new byte[64 * 1024];
    for (long at = 0; at < stored && !inflater.finished(); at += PIECE) {
      inflater.setInput(file.read(start + at, (int) Math.min(PIECE, stored - at)));
      while (!inflater.finished() && !inflater.needsInput()) {
        var length = inflater.inflate(piece);
        if (length == 0 && inflater.needsDictionary()) {
          return false;
        }
        if (inflater.getBytesWritten() > original) {
          return false;
        }
        crc.update(piece, 0, length);
      }
    }
    return inflater.finished();
  }
}
