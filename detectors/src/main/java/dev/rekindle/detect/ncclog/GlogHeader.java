package dev.rekindle.detect.ncclog;

import java.util.Optional;

/**
 * The header of a line of PyTorch's own log: {@code [E626 05:14:36.393067540
 * ProcessGroupNCCL.cpp:1743] }, without date {@code [E ProcessGroupNCCL.cpp:475] }, or as glog
 * writes it, {@code E0626 05:14:36.393067 1234 ProcessGroupNCCL.cpp:1743] }.
 *
 * @param start where it begins
 * @param end the first character of the text
 * @param millis as {@link NcclLine#millis}
 */
record GlogHeader(int start, int end, long millis) {
  private static final String FILE = "ProcessGroup";

  /** The longest header before its file. */
  private static final int LONGEST = 64;

  /** The first header in a line that names a process group's file. */
  static Optional<GlogHeader> find(String text) {
    var scan = new Scan(text, 0);
    while (scan.behind(FILE)) {
      int file = scan.at() - FILE.length();
      scan.until(".:/ []'\"()", 0);
      if (scan.skip(".cpp:") && scan.number() >= 0 && scan.skip("]")) {
        scan.blanks();
        return Optional.of(before(text, file, scan.at()));
      }
    }
    return Optional.empty();
  }

  /** The time of the header of a line; -1 where it has none. */
  static long millis(String text) {
    return find(text).map(GlogHeader::millis).orElse(-1L);
  }

  private static GlogHeader before(String text, int file, int end) {
    int from = Math.max(0, file - LONGEST);
    int bracket = text.lastIndexOf('[', file);
    if (bracket >= from) {
      return new GlogHeader(bracket, end, time(new Scan(text, bracket + 1)));
    }
    for (int letter = from; letter < file; letter++) {
      if ("EWIF".indexOf(text.charAt(letter)) >= 0) {
        long time = time(new Scan(text, letter));
        if (time >= 0) {
          return new GlogHeader(letter, end, time);
        }
      }
    }
    return new GlogHeader(file, end, -1);
  }

  /** {@code E626 05:14:36.393067540}: month and day without a year. */
  private static long time(Scan scan) {
    if (!(scan.skip("E") || scan.skip("W") || scan.skip("I") || scan.skip("F"))) {
      return -1;
    }
    long day = scan.number();
    scan.blanks();
    long hour = scan.number();
    long minute = scan.skip(":") ? scan.number() : -1;
    long second = scan.skip(":") ? scan.number() : -1;
    if (day < 101 || day > 1231 || hour < 0 || minute < 0 || second < 0) {
      return -1;
    }
    if (day % 100 < 1 || day % 100 > 31 || hour > 23 || minute > 59 || second > 60) {
      return -1;
    }
    long millis = 0;
    if (scan.skip(".")) {
      int at = scan.at();
      long digits = scan.number();
      for (int length = scan.at() - at; digits >= 0 && length > 3; length--) {
        digits /= 10;
      }
      millis = Math.max(0, Math.min(999, digits));
    }
    long days = (day / 100 - 1) * 31 + day % 100 - 1;
    return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + millis;
  }
}
