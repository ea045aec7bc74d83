package dev.rekindle.detect.zstd;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The literals of a block (RFC 8878, 3.1.1.3.1). Keeps the prefix codes for the blocks after it.
 */
final class Literals {
  private static final int RAW = 0;
  private static final int RLE = 1;
  private static final int COMPRESSED = 2;
  private static final int STREAMS = 4;

  private final byte[] literals = new byte[ZstdInputStream.LONGEST_BLOCK];
  private @Nullable HuffmanTable table;
  private int length;

  byte[] array() {
    return literals;
  }

  int length() {
    return length;
  }

  void read(Bytes bytes) throws ZstdException {
    int first = bytes.oneByte();
    int kind = first & 3;
    int format = first >>> 2 & 3;
    if (kind == RAW || kind == RLE) {
      length =
          switch (format) {
            case 1 -> first >>> 4 | bytes.oneByte() << 4;
            case 3 -> first >>> 4 | bytes.number(2) << 4;
            default -> first >>> 3;
          };
      plain(bytes, kind);
    } else {
      compressed(bytes, kind, format, first >>> 4);
    }
  }

  private void plain(Bytes bytes, int kind) throws ZstdException {
    checkLength();
    if (kind == RAW) {
      bytes.copyTo(literals, length);
    } else {
      Arrays.fill(literals, 0, length, (byte) bytes.oneByte());
    }
  }

  private void compressed(Bytes bytes, int kind, int format, int low) throws ZstdException {
    int sizeBits = format < 2 ? 10 : format == 2 ? 14 : 18;
    long header = low | Integer.toUnsignedLong(bytes.number(format < 2 ? 2 : format + 1)) << 4;
    length = (int) (header & ((1 << sizeBits) - 1));
    checkLength();
    var part = bytes.part((int) (header >>> sizeBits));
    if (kind == COMPRESSED) {
      table = HuffmanTable.read(part);
    }
    var codes = table;
    if (codes == null) {
      throw new ZstdException("a block wants the prefix codes of one before it");
    }
    if (format == 0) {
      codes.decode(part, literals, 0, length);
    } else {
      streams(codes, part);
    }
  }

  /** Four streams, of which the first three have equally many literals. */
  private void streams(HuffmanTable codes, Bytes part) throws ZstdException {
    int one = part.number(2);
    int two = part.number(2);
    int three = part.number(2);
    int each = (length + STREAMS - 1) / STREAMS;
    if (length < (STREAMS - 1) * each) {
      throw new ZstdException("too few literals for four streams");
    }
    codes.decode(part.part(one), literals, 0, each);
    codes.decode(part.part(two), literals, each, each);
    codes.decode(part.part(three), literals, 2 * each, each);
    codes.decode(part.part(part.left()), literals, 3 * each, length - 3 * each);
  }

  private void checkLength() throws ZstdException {
    if (length > literals.length) {
      throw new ZstdException(length + " literals in one block");
    }
  }
}
