package dev.rekindle.detect.zstd;

import org.jspecify.annotations.Nullable;

/**
 * The sequences of a block: so many literals, then a match so far back and so long (RFC 8878,
 * 3.1.1.3.2 and 3.1.1.4). Keeps tables and recent distances for the blocks after it.
 */
final class Sequences {
  private static final int PREDEFINED = 0;
  private static final int RLE = 1;
  private static final int REPEAT = 3;

  private final Code literalLengths = new Code(Tables.LITERAL_LENGTHS, 9, 36);
  private final Code offsets = new Code(Tables.OFFSETS, 8, 32);
  private final Code matchLengths = new Code(Tables.MATCH_LENGTHS, 9, 53);
  private int recent = 1;
  private int second = 4;
  private int third = 8;

  /** One of the three tables. */
  private static final class Code {
    private final FseTable predefined;
    private final int mostLog;
    private final int mostSymbols;
    private @Nullable FseTable table;

    Code(FseTable predefined, int mostLog, int mostSymbols) {
      this.predefined = predefined;
      this.mostLog = mostLog;
      this.mostSymbols = mostSymbols;
    }

    FseTable read(Bytes bytes, int mode) throws ZstdException {
      var read =
          switch (mode) {
            case PREDEFINED -> predefined;
            case RLE -> always(bytes.oneByte());
            case REPEAT -> table;
            default -> FseTable.read(bytes, mostLog, mostSymbols);
          };
      if (read == null) {
        throw new ZstdException("a block wants the table of one before it");
      }
      table = read;
      return read;
    }

    private FseTable always(int symbol) throws ZstdException {
      if (symbol >= mostSymbols) {
        throw new ZstdException("a table has too many symbols");
      }
      return FseTable.always(symbol);
    }
  }

  /** Takes what is decoded. */
  interface Sink {
    /** So many of the block's literals. */
    void literals(int count) throws ZstdException;

    /** Bytes that were decoded before. */
    void match(int distance, int length) throws ZstdException;
  }

  /** Decodes the rest of a block, up to its last match; literals may be left after it. */
  void read(Bytes bytes, Sink sink) throws ZstdException {
    int count = count(bytes);
    if (count == 0) {
      if (bytes.left() != 0) {
        throw new ZstdException("a block goes on after its end");
      }
      return;
    }
    int modes = bytes.oneByte();
    if ((modes & 3) != 0) {
      throw new ZstdException("a reserved bit is set");
    }
    var lengths = literalLengths.read(bytes, modes >>> 6);
    var distances = offsets.read(bytes, modes >>> 4 & 3);
    var matches = matchLengths.read(bytes, modes >>> 2 & 3);
    var in = bytes.backward();
    int length = in.read(lengths.log());
    int distance = in.read(distances.log());
    int match = in.read(matches.log());
    for (int i = 0; i < count; i++) {
      int offset = distances.symbol(distance);
      long far = (1L << offset) + in.read(offset);
      int matchLength = Tables.matchLength(matches.symbol(match), in);
      int literals = Tables.literalLength(lengths.symbol(length), in);
      sink.literals(literals);
      sink.match(distance(far, literals == 0), matchLength);
      if (i < count - 1) {
        length = lengths.next(length, in);
        match = matches.next(match, in);
        distance = distances.next(distance, in);
      }
      if (in.left() < 0) {
        throw new ZstdException("sequences end too early");
      }
    }
    if (in.left() != 0) {
      throw new ZstdException("sequences do not fit their number");
    }
  }

  private static int count(Bytes bytes) throws ZstdException {
    int first = bytes.oneByte();
    if (first < 128) {
      return first;
    }
    return first < 255 ? ((first - 128) << 8) + bytes.oneByte() : bytes.number(2) + 0x7f00;
  }

  /**
   * One of the three last distances, or one of its own; after no literals the last is not meant.
   */
  private int distance(long value, boolean noLiterals) throws ZstdException {
    if (value > 3) {
      if (value - 3 > Integer.MAX_VALUE) {
        throw new ZstdException("a match lies too far back");
      }
      third = second;
      second = recent;
      recent = (int) (value - 3);
      return recent;
    }
    int which = (int) value + (noLiterals ? 1 : 0);
    if (which == 1) {
      return recent;
    }
    int chosen = which == 2 ? second : which == 3 ? third : recent - 1;
    if (chosen == 0) {
      throw new ZstdException("a match lies nowhere");
    }
    if (which != 2) {
      third = second;
    }
    second = recent;
    recent = chosen;
    return chosen;
  }
}
