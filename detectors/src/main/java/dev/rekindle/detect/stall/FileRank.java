package dev.rekindle.detect.stall;

import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The rank in the name of a log or of a stack: {@code rank_3.log}, {@code rank-3.txt}, {@code
 * 3.log}.
 */
final class FileRank {
  private static final int MOST_DIGITS = 6;

  private static final String WORD = "rank";

  /** What PyTorch writes ends with the rank, behind any prefix: {@code _dump_12}. */
  private static final Pattern LAST =
      Pattern.compile("(?:.*[^0-9])?(\\d{1,6})(?:\\.(?:json|pkl|pickle|bin|dump))?(?:\\.gz)?");

  private FileRank() {}

  /** The rank; -1 where the name has none. A number behind another word counts pods or days. */
  static int of(String fileName) {
    var name = fileName.toLowerCase(Locale.ROOT);
    int word = name.lastIndexOf(WORD);
    int at = word < 0 ? 0 : word + WORD.length();
    if (word >= 0 && at < name.length() && "_-.=".indexOf(name.charAt(at)) >= 0) {
      at++;
    }
    int end = at;
    while (end < name.length() && name.charAt(end) >= '0' && name.charAt(end) <= '9') {
      end++;
    }
    boolean whole = word >= 0 || end == name.length() || name.charAt(end) == '.';
    return end == at || end - at > MOST_DIGITS || !whole ? -1 : Integer.parseInt(name, at, end, 10);
  }

  /**
   * The rank of a dump; -1 where its name has none: the number behind the word, as people put a day
   * or a step behind what PyTorch writes; else the last number; else that of its folder.
   */
  static int ofDump(Path file) {
    var name = file.getFileName().toString();
    int rank = behindTheWord(name);
    if (rank >= 0) {
      return rank;
    }
    var last = LAST.matcher(name);
    if (last.matches()) {
      return Integer.parseInt(last.group(1));
    }
    var folder = file.getParent();
    var named = folder == null ? null : folder.getFileName();
    return named == null ? -1 : behindTheWord(named.toString());
  }

  private static int behindTheWord(String name) {
    return name.toLowerCase(Locale.ROOT).contains(WORD) ? of(name) : -1;
  }
}
