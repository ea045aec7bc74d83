package dev.rekindle.detect.kmsg;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Reads the framing of {@code /dev/kmsg} as the kernel's {@code Documentation/ABI/testing/dev-kmsg}
 * gives it: {@code prio,seq,usec,flags[,...];text\n}, then lines of a dictionary, each starting
 * with a space, which nothing here needs.
 */
final class KmsgParser {
  /** Longest record taken, in bytes: the kernel's own limit for one read. */
  static final int MAX_BYTES = 8192;

  private static final int MAX_PRIORITY = Integer.MAX_VALUE;

  private KmsgParser() {}

  /** Parses the first {@code length} bytes; never throws, whatever they are. */
  static KmsgParsed parse(byte[] bytes, int length) {
    if (length > MAX_BYTES) {
      return new KmsgParsed.Malformed("longer than " + MAX_BYTES + " bytes");
    }
    var prefixEnd = indexOf(bytes, 0, length, ';');
    if (prefixEnd < 0) {
      return new KmsgParsed.Malformed("no ';' after the prefix");
    }
    var priorityEnd = indexOf(bytes, 0, prefixEnd, ',');
    var sequenceEnd = priorityEnd < 0 ? -1 : indexOf(bytes, priorityEnd + 1, prefixEnd, ',');
    if (sequenceEnd < 0) {
      return new KmsgParsed.Malformed("fewer than three fields before ';'");
    }
    // The flags and whatever later kernels add behind them are of no interest.
    var timeEnd = indexOf(bytes, sequenceEnd + 1, prefixEnd, ',');
    var priority = number(bytes, 0, priorityEnd);
    var sequence = number(bytes, priorityEnd + 1, sequenceEnd);
    var micros = number(bytes, sequenceEnd + 1, timeEnd < 0 ? prefixEnd : timeEnd);
    if (priority < 0 || priority > MAX_PRIORITY || sequence < 0 || micros < 0) {
      return new KmsgParsed.Malformed("priority, sequence or time is not a number");
    }
    var lineEnd = indexOf(bytes, prefixEnd + 1, length, '\n');
    var text = unescape(bytes, prefixEnd + 1, lineEnd < 0 ? length : lineEnd);
    return new KmsgRecord((int) (priority >> 3), (int) (priority & 7), sequence, micros, text);
  }

  private static int indexOf(byte[] bytes, int from, int to, char wanted) {
    for (int i = from; i < to; i++) {
      if (bytes[i] == wanted) {
        return i;
      }
    }
    return -1;
  }

  /** The decimal number in the range, or -1 for anything that is none or does not fit. */
  private static long number(byte[] bytes, int from, int to) {
    // 18 digits always fit into a long, and no counter of the kernel gets there.
    if (from >= to || to - from > 18) {
      return -1;
    }
    long value = 0;
    for (int i = from; i < to; i++) {
      var digit = bytes[i] - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      value = value * 10 + digit;
    }
    return value;
  }

  /** Undoes {@code \xNN}; an escape that is not one stays as it is. */
  private static String unescape(byte[] bytes, int from, int to) {
    var out = new ByteArrayOutputStream(to - from);
    for (int i = from; i < to; i++) {
      if (bytes[i] == '\\' && i + 3 < to && bytes[i + 1] == 'x') {
        var high = Character.digit(bytes[i + 2], 16);
        var low = Character.digit(bytes[i + 3], 16);
        if (high >= 0 && low >= 0) {
          out.write(high << 4 | low);
          i += 3;
          continue;
        }
      }
      out.write(bytes[i]);
    }
    return out.toString(StandardCharsets.UTF_8);
  }
}
