package dev.rekindle.detect.progress;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.Optional;

/**
 * The time that a container runtime writes before each line, in the form of RFC 3339: {@code
 * 2026-01-01T00:00:00.123456789Z}. The form that is always written, in UTC or with an offset, is
 * read by its digits: a node that logs nothing but warnings has a hundred thousand of them a
 * second.
 */
final class RuntimeTime {
  /** Of {@code 2026-01-01T00:00:00}. */
  private static final int SECONDS = 19;

  private static final int MOST_DIGITS = 9;

  private RuntimeTime() {}

  /** The time; empty where it is none. */
  static Optional<Instant> parse(byte[] bytes, int from, int to) {
    try {
      var usual = usual(bytes, from, to);
      if (usual.isPresent()) {
        return usual;
      }
      var text = new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
      return Optional.of(OffsetDateTime.parse(text).toInstant());
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  /** Empty for a time in another form; one that there cannot be is an exception. */
  private static Optional<Instant> usual(byte[] bytes, int from, int to) {
    if (to - from <= SECONDS || !hasForm(bytes, from)) {
      return Optional.empty();
    }
    int hour = number(bytes, from + 11, 2);
    int minute = number(bytes, from + 14, 2);
    int second = number(bytes, from + 17, 2);
    if (hour > 23 || minute > 59 || second > 59) {
      return Optional.empty();
    }
    int at = from + SECONDS;
    int nanos = 0;
    if (bytes[at] == '.') {
      int digits = 0;
      for (at++; at < to && isDigit(bytes[at]); at++) {
        if (++digits > MOST_DIGITS) {
          return Optional.empty();
        }
        nanos = 10 * nanos + bytes[at] - '0';
      }
      for (; digits < MOST_DIGITS; digits++) {
        nanos *= 10;
      }
    }
    int offset = offset(bytes, at, to);
    if (offset == Integer.MIN_VALUE) {
      return Optional.empty();
    }
    long day =
        LocalDate.of(number(bytes, from, 4), number(bytes, from + 5, 2), number(bytes, from + 8, 2))
            .toEpochDay();
    return Optional.of(
        Instant.ofEpochSecond(((day * 24 + hour) * 60 + minute) * 60 + second - offset, nanos));
  }

  private static boolean hasForm(byte[] bytes, int from) {
    for (int i = 0; i < SECONDS; i++) {
      byte b = bytes[from + i];
      boolean fits =
          switch (i) {
            case 4, 7 -> b == '-';
            case 10 -> b == 'T';
            case 13, 16 -> b == ':';
            default -> isDigit(b);
          };
      if (!fits) {
        return false;
      }
    }
    return true;
  }

  /** Seconds east of UTC by {@code Z} or {@code +01:00}; the least integer for anything else. */
  private static int offset(byte[] bytes, int at, int to) {
    if (at + 1 == to && bytes[at] == 'Z') {
      return 0;
    }
    boolean signed = at + 6 == to && (bytes[at] == '+' || bytes[at] == '-');
    if (!signed
        || bytes[at + 3] != ':'
        || !isDigit(bytes[at + 1])
        || !isDigit(bytes[at + 2])
        || !isDigit(bytes[at + 4])
        || !isDigit(bytes[at + 5])) {
      return Integer.MIN_VALUE;
    }
    int hours = number(bytes, at + 1, 2);
    int minutes = number(bytes, at + 4, 2);
    if (hours > 17 || minutes > 59) {
      return Integer.MIN_VALUE;
    }
    int seconds = (hours * 60 + minutes) * 60;
    return bytes[at] == '-' ? -seconds : seconds;
  }

  private static int number(byte[] bytes, int from, int digits) {
    int number = 0;
    for (int i = from; i < from + digits; i++) {
      number = 10 * number + bytes[i] - '0';
    }
    return number;
  }

  private static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }
}
