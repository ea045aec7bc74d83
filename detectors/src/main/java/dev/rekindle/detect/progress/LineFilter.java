package dev.rekindle.detect.progress;

/**
 * Says in one pass over its bytes whether a piece of a log is worth parsing: most lines hold
 * neither a step nor a request. It may say yes to a piece that holds none, never no to one that
 * does: {@link StepFormat} reads nothing without one of these words.
 */
final class LineFilter {
  /** The piece may hold a step. */
  static final int STEP = 1;

  /** The piece may request a restart. */
  static final int RESTART = 2;

  /** The piece may be a line of PyTorch's watchdog or of NCCL that says why ranks wait. */
  static final int WITNESS = 4;

  /** The piece may say that a checkpoint is saved. */
  static final int SAVE = 8;

  /** The piece may be a line by which NCCL names its network. */
  static final int NETWORK = 16;

  /** What a byte may be part of; 0 for most. */
  private static final byte[] KINDS = new byte[256];

  private static final byte P = 1;
  private static final byte I = 2;
  private static final byte B = 3;
  private static final byte PERCENT = 4;
  private static final byte CAPITAL_K = 5;
  private static final byte CAPITAL_T = 6;
  private static final byte LINE = 7;
  private static final byte EQUALS = 8;
  private static final byte CAPITAL_W = 9;
  private static final byte CAPITAL_D = 10;
  private static final byte V = 11;

  static {
    KINDS['p'] = P;
    KINDS['P'] = P;
    KINDS['i'] = I;
    KINDS['I'] = I;
    KINDS['b'] = B;
    KINDS['B'] = B;
    KINDS['%'] = PERCENT;
    KINDS['K'] = CAPITAL_K;
    KINDS['T'] = CAPITAL_T;
    KINDS[0x94] = LINE;
    KINDS['='] = EQUALS;
    KINDS['W'] = CAPITAL_W;
    KINDS['D'] = CAPITAL_D;
    KINDS['v'] = V;
    KINDS['V'] = V;
  }

  private LineFilter() {}

  /** What the piece may hold, as a sum of the constants of this class. */
  static int of(byte[] bytes, int from, int to) {
    int found = 0;
    for (int i = from; i < to; i++) {
      byte kind = KINDS[bytes[i] & 0xff];
      if (kind == 0) {
        continue;
      }
      if (kind == V) {
        if (i - 2 >= from && folds(bytes, i - 2, i, "sa")) {
          found |= SAVE;
        } else if (i - 5 >= from && is(bytes, i - 5, to, "NCCL version ")) {
          found |= NETWORK;
        }
        continue;
      }
      if (isWitness(kind, bytes, from, i, to)) {
        found |= WITNESS;
      }
      if (kind == I && i - 5 >= from && is(bytes, i - 5, to, "NCCL INFO ")) {
        found |= NETWORK;
      }
      boolean step =
          switch (kind) {
            // step; epoch; num_updates
            case P ->
                (i - 3 >= from && folds(bytes, i - 3, i, "ste"))
                    || folds(bytes, i + 1, to, "och")
                    || folds(bytes, i + 1, to, "dates");
            case I -> folds(bytes, i + 1, to, "ter");
            case B -> folds(bytes, i + 1, to, "atch");
            // 12%|
            case PERCENT -> i + 1 < to && bytes[i + 1] == '|';
            // Train: 3 [, Test: [
            case CAPITAL_T -> folds(bytes, i + 1, to, "rain:") || folds(bytes, i + 1, to, "est:");
            // U+2501, of which bars are made
            case LINE ->
                i > from
                    && i + 1 < to
                    && bytes[i - 1] == (byte) 0xe2
                    && bytes[i + 1] == (byte) 0x81;
            // [sample=5/100], [token=5/100]
            case EQUALS ->
                i - 6 >= from
                    && (folds(bytes, i - 6, i, "sample") || folds(bytes, i - 5, i, "token"));
            default -> {
              if (i - 2 >= from
                  && bytes[i - 2] == 'R'
                  && bytes[i - 1] == 'E'
                  && i + 5 < to
                  && bytes[i + 1] == 'I') {
                found |= RESTART;
              }
              yield false;
            }
          };
      if (step) {
        found |= STEP;
      }
    }
    return found;
  }

  /** Of a line that {@code NcclLines} reads: each has one of these words. */
  private static boolean isWitness(byte kind, byte[] bytes, int from, int at, int to) {
    return switch (kind) {
      case P -> bytes[at] == 'P' && is(bytes, at + 1, to, "rocessGroup");
      // monitoredBarrier; mismatch between collectives
      case B ->
          bytes[at] == 'B'
              ? is(bytes, at + 1, to, "arrier in ")
              : is(bytes, at + 1, to, "etween collectives on ranks");
      case CAPITAL_W ->
          at - 5 >= from && is(bytes, at - 5, at, "NCCL ") && is(bytes, at + 1, to, "ARN ");
      case CAPITAL_D ->
          at - 2 >= from
              && is(bytes, at - 2, at, "CU")
              && (is(bytes, at + 1, to, "A error: ") || is(bytes, at + 1, to, "A_ERROR_"));
      default -> false;
    };
  }

  private static boolean is(byte[] bytes, int from, int to, String word) {
    if (to - from < word.length()) {
      return false;
    }
    for (int i = 0; i < word.length(); i++) {
      if (bytes[from + i] != word.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** Whether the bytes begin with a word of small letters, whatever their case. */
  private static boolean folds(byte[] bytes, int from, int to, String word) {
    if (to - from < word.length()) {
      return false;
    }
    for (int i = 0; i < word.length(); i++) {
      int at = bytes[from + i];
      if (at != word.charAt(i) && (at | 0x20) != word.charAt(i)) {
        return false;
      }
    }
    return true;
  }
}
