package dev.rekindle.detect.zstd;

/** A table of prefix codes for literals (RFC 8878, 4.2). */
final class HuffmanTable {
  private static final int MOST_LOG = 11;
  private static final int MOST_WEIGHT_LOG = 6;
  private static final int MOST_WEIGHTS = 255;

  /** Weights of at most this many bytes are compressed; above, each has four bits. */
  private static final int LONGEST_COMPRESSED = 127;

  /** Bits of the longest code. */
  private final int log;

  /** By the next {@code log} bits: what they begin with, and how many of them that takes. */
  private final byte[] symbols;

  private final byte[] bits;

  private HuffmanTable(int log, byte[] symbols, byte[] bits) {
    this.log = log;
    this.symbols = symbols;
    this.bits = bits;
  }

  /** As it is described in a block; the weight of the last symbol is what the others leave. */
  static HuffmanTable read(Bytes bytes) throws ZstdException {
    int header = bytes.oneByte();
    var weights = new byte[MOST_WEIGHTS + 1];
    int count =
        header > LONGEST_COMPRESSED
            ? plain(bytes, header - LONGEST_COMPRESSED, weights)
            : compressed(bytes.part(header), weights);
    int sum = 0;
    for (int i = 0; i < count; i++) {
      sum += weights[i] == 0 ? 0 : 1 << (weights[i] - 1);
    }
    int log = 32 - Integer.numberOfLeadingZeros(sum);
    int left = (1 << log) - sum;
    if (sum == 0 || log > MOST_LOG || Integer.bitCount(left) != 1) {
      throw new ZstdException("the weights of prefix codes do not fit each other");
    }
    weights[count] = (byte) (Integer.numberOfTrailingZeros(left) + 1);
    return of(log, weights, count + 1);
  }

  private static int plain(Bytes bytes, int count, byte[] weights) throws ZstdException {
    for (int i = 0; i < count; i += 2) {
      int two = bytes.oneByte();
      weights[i] = (byte) weight(two >>> 4);
      weights[i + 1] = (byte) weight(two & 15);
    }
    return count;
  }

  private static int weight(int weight) throws ZstdException {
    if (weight > MOST_LOG) {
      throw new ZstdException("a prefix code of weight " + weight);
    }
    return weight;
  }

  /** Two states take turns; the bits end within a step of one, and the other gives the last. */
  private static int compressed(Bytes bytes, byte[] weights) throws ZstdException {
    var table = FseTable.read(bytes, MOST_WEIGHT_LOG, MOST_LOG + 1);
    var in = bytes.backward();
    int state = in.read(table.log());
    int other = in.read(table.log());
    if (in.left() < 0) {
      throw new ZstdException("no weights of prefix codes");
    }
    int count = 0;
    while (count < MOST_WEIGHTS) {
      weights[count++] = (byte) table.symbol(state);
      int next = table.next(state, in);
      state = other;
      other = next;
      if (in.left() < 0) {
        if (count == MOST_WEIGHTS) {
          break;
        }
        weights[count++] = (byte) table.symbol(state);
        return count;
      }
    }
    throw new ZstdException("too many weights of prefix codes");
  }

  /** The longest codes, those of the least weight, have the lowest values. */
  private static HuffmanTable of(int log, byte[] weights, int count) {
    var symbols = new byte[1 << log];
    var bits = new byte[1 << log];
    int at = 0;
    for (int weight = 1; weight <= log; weight++) {
      for (int symbol = 0; symbol < count; symbol++) {
        if (weights[symbol] == weight) {
          int end = at + (1 << (weight - 1));
          for (; at < end; at++) {
            symbols[at] = (byte) symbol;
            bits[at] = (byte) (log + 1 - weight);
          }
        }
      }
    }
    return new HuffmanTable(log, symbols, bits);
  }

  /** Decodes that many literals, which must take all the bits. */
  void decode(Bytes stream, byte[] into, int from, int count) throws ZstdException {
    var in = stream.backward();
    for (int i = from; i < from + count; i++) {
      int code = in.peek(log);
      in.take(bits[code]);
      into[i] = symbols[code];
    }
    if (in.left() != 0) {
      throw new ZstdException("literals do not fit their length");
    }
  }
}
