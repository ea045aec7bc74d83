package dev.rekindle.detect.zstd;

/** What the format fixes: how codes become lengths, and tables for short blocks. */
final class Tables {
  static final FseTable LITERAL_LENGTHS =
      fixed(
          6, 4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1,
          1, 1, 1, -1, -1, -1, -1);

  static final FseTable OFFSETS =
      fixed(
          5, 1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1,
          -1);

  static final FseTable MATCH_LENGTHS =
      fixed(
          6, 1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
          1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1);

  private static final int SHORT_LITERALS = 16;
  private static final int[] LITERAL_BASES = {
    16, 18, 20, 22, 24, 28, 32, 40, 48, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768,
    65536
  };
  private static final byte[] LITERAL_BITS = {
    1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
  };

  private static final int SHORT_MATCHES = 32;
  private static final int LEAST_MATCH = 3;
  private static final int[] MATCH_BASES = {
    35, 37, 39, 41, 43, 47, 51, 59, 67, 83, 99, 131, 259, 515, 1027, 2051, 4099, 8195, 16387, 32771,
    65539
  };
  private static final byte[] MATCH_BITS = {
    1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
  };

  private Tables() {}

  private static FseTable fixed(int log, int... probabilities) {
    var values = new short[probabilities.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = (short) probabilities[i];
    }
    try {
      return FseTable.of(log, values);
    } catch (ZstdException e) {
      throw new IllegalStateException(e);
    }
  }

  static int literalLength(int code, BackwardBits in) {
    int above = code - SHORT_LITERALS;
    return above < 0 ? code : LITERAL_BASES[above] + in.read(LITERAL_BITS[above]);
  }

  static int matchLength(int code, BackwardBits in) {
    int above = code - SHORT_MATCHES;
    return above < 0 ? code + LEAST_MATCH : MATCH_BASES[above] + in.read(MATCH_BITS[above]);
  }
}
