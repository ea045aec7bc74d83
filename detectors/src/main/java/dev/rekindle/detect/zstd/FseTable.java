package dev.rekindle.detect.zstd;

import java.util.Arrays;

/** A table of finite-state entropy: for each state a symbol, and the next state (RFC 8878, 4.1). */
final class FseTable {
  private static final int LEAST_LOG = 5;

  /** States are 2 to the power of this. */
  private final int log;

  /** Of each state. */
  private final byte[] symbols;

  /** How many are read for the state after this one, and what is added to them. */
  private final byte[] bits;

  private final short[] bases;

  private FseTable(int log, byte[] symbols, byte[] bits, short[] bases) {
    this.log = log;
    this.symbols = symbols;
    this.bits = bits;
    this.bases = bases;
  }

  /** Of probabilities whose sum is the number of states; -1 is "less than one". */
  static FseTable of(int log, short[] probabilities) throws ZstdException {
    int size = 1 << log;
    var symbols = new byte[size];
    int high = size;
    for (int symbol = 0; symbol < probabilities.length; symbol++) {
      if (probabilities[symbol] == -1) {
        symbols[--high] = (byte) symbol;
      }
    }
    spread(probabilities, symbols, high);
    var next = new int[probabilities.length];
    for (int symbol = 0; symbol < next.length; symbol++) {
      next[symbol] = Math.abs(probabilities[symbol]);
    }
    var bits = new byte[size];
    var bases = new short[size];
    for (int state = 0; state < size; state++) {
      int number = next[Byte.toUnsignedInt(symbols[state])]++;
      int wanted = log - (31 - Integer.numberOfLeadingZeros(number));
      bits[state] = (byte) wanted;
      bases[state] = (short) ((number << wanted) - size);
    }
    return new FseTable(log, symbols, bits, bases);
  }

  private static void spread(short[] probabilities, byte[] symbols, int high) throws ZstdException {
    int size = symbols.length;
    int step = (size >>> 1) + (size >>> 3) + 3;
    int at = 0;
    for (int symbol = 0; symbol < probabilities.length; symbol++) {
      for (int i = 0; i < probabilities[symbol]; i++) {
        symbols[at] = (byte) symbol;
        do {
          at = (at + step) & (size - 1);
        } while (at >= high);
      }
    }
    if (at != 0) {
      throw new ZstdException("the probabilities of a table do not fill it");
    }
  }

  /** Of one symbol, which costs no bits. */
  static FseTable always(int symbol) {
    return new FseTable(0, new byte[] {(byte) symbol}, new byte[1], new short[1]);
  }

  /** As it is described in a block. */
  static FseTable read(Bytes bytes, int mostLog, int mostSymbols) throws ZstdException {
    var in = bytes.forward();
    int log = in.read(4) + LEAST_LOG;
    if (log > mostLog) {
      throw new ZstdException("a table of 2^" + log + " states");
    }
    var probabilities = new short[mostSymbols];
    int left = (1 << log) + 1;
    int symbol = 0;
    while (left > 1) {
      if (symbol >= mostSymbols) {
        throw new ZstdException("a table has too many symbols");
      }
      int probability = probability(in, left);
      left -= Math.abs(probability);
      probabilities[symbol++] = (short) probability;
      if (probability == 0) {
        int zeros;
        do {
          zeros = in.read(2);
          symbol += zeros;
        } while (zeros == 3);
      }
    }
    if (left < 1) {
      throw new ZstdException("the probabilities of a table overflow it");
    }
    in.end();
    return of(log, Arrays.copyOf(probabilities, Math.min(symbol, mostSymbols)));
  }

  /** As few bits as what is left allows: the lower half of its values takes one less. */
  private static int probability(ForwardBits in, int left) throws ZstdException {
    int bits = 32 - Integer.numberOfLeadingZeros(left);
    int half = 1 << (bits - 1);
    int shorter = 2 * half - 1 - left;
    int value = in.peek(bits - 1);
    if (value < shorter) {
      in.take(bits - 1);
      return value - 1;
    }
    value = in.read(bits);
    return (value >= half ? value - shorter : value) - 1;
  }

  /** Bits of the first state. */
  int log() {
    return log;
  }

  int symbol(int state) {
    return Byte.toUnsignedInt(symbols[state]);
  }

  int next(int state, BackwardBits in) {
    return bases[state] + in.read(bits[state]);
  }
}
