package dev.rekindle.detect.stall;

import java.util.Locale;

/**
 * The rank in the name of a log or of a stack: {@code rank_3.log}, {@code rank-3.txt}, {@code
 * 3.log}.
 */
final class FileRank {
  private static final int MOST_DIGITS = 6;

  private FileRank() {}

  /** The rank; -1 where the name has none. A number behind another word counts pods or days. */
  static int of(String fileName) {
    var name = fileName.toLowerCase(Locale.ROOT);
    int word = name.lastIndexOf("rank");
    int at = word < 0 ? 0 : word + "rank".length();
    if (word >= 0 && at < name.length() && "_-.".indexOf(name.charAt(at)) >= 0) {
      at++;
    }
    int end = at;
    while (end < name.length() && name.charAt(end) >= '0' && name.charAt(end) <= '9') {
      end++;
    }
    boolean whole = word >= 0 || end == name.length() || name.charAt(end) == '.';
    return end == at || end - at > MOST_DIGITS || !whole ? -1 : Integer.parseInt(name, at, end, 10);
  }
}
