package dev.rekindle.detect.ncclog;

/** Reads a text from left to right. What it does not find leaves it where it is. */
final class Scan {
  private static final int MOST_DIGITS = 18;

  private final String text;
  private int at;

  Scan(String text, int at) {
    this.text = text;
    this.at = at;
  }

  int at() {
    return at;
  }

  /** Steps over a word, if it is next. */
  boolean skip(String word) {
    if (!text.startsWith(word, at)) {
      return false;
    }
    at += word.length();
    return true;
  }

  /** Steps over all blanks that are next. */
  void blanks() {
    while (at < text.length() && (text.charAt(at) == ' ' || text.charAt(at) == '\t')) {
      at++;
    }
  }

  /** Steps behind the next place of a word; whether there is one. */
  boolean behind(String word) {
    int found = text.indexOf(word, at);
    if (found < 0) {
      return false;
    }
    at = found + word.length();
    return true;
  }

  /** The number that is next; -1 where there is none, or it has too many digits. */
  long number() {
    int end = at;
    while (end < text.length() && isDigit(text.charAt(end))) {
      end++;
    }
    if (end == at || end - at > MOST_DIGITS) {
      return -1;
    }
    long number = Long.parseLong(text, at, end, 10);
    at = end;
    return number;
  }

  /** The number that is next, where -1 is written out; else -2. */
  long signed() {
    if (skip("-1")) {
      return -1;
    }
    long number = number();
    return number < 0 ? -2 : number;
  }

  /** What is before the next one of these characters, or the end; at most so long. */
  String until(String ends, int longest) {
    int end = at;
    while (end < text.length() && ends.indexOf(text.charAt(end)) < 0) {
      end++;
    }
    var found = text.substring(at, Math.min(end, at + longest));
    at = end;
    return found;
  }

  static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }
}
