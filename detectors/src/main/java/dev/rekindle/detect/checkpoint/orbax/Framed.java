package dev.rekindle.detect.checkpoint.orbax;

import dev.rekindle.detect.checkpoint.files.Source;
import dev.rekindle.detect.checkpoint.files.SourceStream;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.zstd.ZstdInputStream;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;

/**
 * A manifest or node of TensorStore's OCDBT storage format: a magic number, its own length, a
 * version, how it is compressed, its content, and the CRC-32C of all that.
 */
final class Framed {
  static final int SHORTEST = 4 + 8 + 1 + 1 + 4;

  private static final int HEADER = 4 + 8;
  private static final int CHECKSUM = 4;

  /** Compressed a thousand times, more is neither a manifest nor a node: Orbax's have 100 MB. */
  private static final long MOST_DECODED = 1L << 30;

  private static final int BUFFER = 16 * 1024;
  private static final int PLAIN = 0;
  private static final int ZSTD = 1;

  private Framed() {}

  /**
   * Compares length and checksum, and opens the content.
   *
   * @param source where it is
   * @param offset where in it; the source has {@code length} bytes from there on
   * @param what for reasons, such as {@code manifest.ocdbt}
   * @throws OcdbtException when it is not whole, or of a version that is not known
   */
  static Fields open(Source source, long offset, long length, int magic, String what)
      throws IOException {
    if (length < SHORTEST) {
      throw torn(what + " has " + length + " bytes");
    }
    var start = source.read(offset, HEADER);
    if (Integer.reverseBytes(start.getInt(0)) != magic) {
      throw torn(what + " does not begin as one");
    }
    if (start.getLong(4) != length) {
      throw torn(what + " has " + length + " bytes, and says " + start.getLong(4));
    }
    var checked =
        new CheckedInputStream(new SourceStream(source, offset, length - CHECKSUM), new CRC32C());
    checked.skipNBytes(length - CHECKSUM);
    int sum = source.read(offset + length - CHECKSUM, CHECKSUM).getInt(0);
    if ((int) checked.getChecksum().getValue() != sum) {
      throw torn("the checksum of " + what + " does not fit it");
    }
    return content(new SourceStream(source, offset + HEADER, length - HEADER - CHECKSUM), what);
  }

  private static Fields content(InputStream in, String what) throws IOException {
    var header = new Fields(in, what);
    if (header.number() != 0) {
      throw OcdbtException.unknown(what + " is of a version that is not known");
    }
    long compression = header.number();
    if (compression == PLAIN) {
      return header;
    }
    if (compression != ZSTD) {
      throw OcdbtException.unknown(what + " is compressed in a way that is not known");
    }
    return new Fields(new BufferedInputStream(new ZstdInputStream(in, MOST_DECODED), BUFFER), what);
  }

  private static OcdbtException torn(String reason) {
    return OcdbtException.torn(Level.L3, reason);
  }
}
