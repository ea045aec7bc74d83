package dev.rekindle.detect.python;

/**
 * Lines of instructions, by {@code co_linetable} of CPython: from 3.11 on as its
 * Objects/locations.md describes it, in 3.10 as Objects/lnotab_notes.txt does.
 */
final class LineTable {
  private static final int NO_LINE = 15;
  private static final int LONG = 14;
  private static final int NO_COLUMNS = 13;
  private static final int ONE_LINE = 10;
  private static final byte NO_LINE_OF_PAIR = -128;
  private static final int BYTES_OF_INSTRUCTION = 2;

  private final byte[] table;
  private int at;

  private LineTable(byte[] table) {
    this.table = table;
  }

  /**
   * The line of an instruction.
   *
   * @param table the table; may be cut off
   * @param firstLine where the code begins
   * @param offset bytes from the first instruction
   * @return 0 where there is none
   */
  static int line(byte[] table, int firstLine, long offset) {
    return new LineTable(table).find(firstLine, offset);
  }

  /**
   * The line of an instruction, in the table of 3.10: pairs of bytes, how far a range of
   * instructions goes and how many lines further it is.
   *
   * @return 0 where there is none
   */
  static int lineOfPairs(byte[] table, int firstLine, long offset) {
    int line = firstLine;
    long end = 0;
    for (int i = 0; i + 1 < table.length && end <= offset; i += 2) {
      end += table[i] & 0xff;
      if (table[i + 1] != NO_LINE_OF_PAIR) {
        line += table[i + 1];
      } else if (end > offset) {
        return 0;
      }
    }
    return end > offset ? Math.max(0, line) : 0;
  }

  private int find(int firstLine, long offset) {
    int line = firstLine;
    long end = 0;
    while (at < table.length) {
      int head = table[at++] & 0xff;
      int code = head >> 3 & 15;
      end += (long) BYTES_OF_INSTRUCTION * ((head & 7) + 1);
      if (code == LONG || code == NO_COLUMNS) {
        line += signed();
      } else if (code >= ONE_LINE && code < NO_COLUMNS) {
        line += code - ONE_LINE;
      }
      skipColumns(code);
      if (offset < end) {
        return code == NO_LINE ? 0 : Math.max(0, line);
      }
    }
    return 0;
  }

  private void skipColumns(int code) {
    if (code == LONG) {
      number();
      number();
      number();
    } else if (code < ONE_LINE) {
      at += 1;
    } else if (code < NO_COLUMNS) {
      at += 2;
    }
  }

  /** Six bits a byte, the lowest first; bit 6 where another one follows. */
  private int number() {
    int value = 0;
    for (int shift = 0; at < table.length; shift += 6) {
      int next = table[at++] & 0xff;
      if (shift < Integer.SIZE) {
        value |= (next & 63) << shift;
      }
      if ((next & 64) == 0) {
        break;
      }
    }
    return value;
  }

  private int signed() {
    int value = number();
    return (value & 1) != 0 ? -(value >>> 1) : value >>> 1;
  }
}
