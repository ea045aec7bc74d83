package dev.rekindle.detect.progress;

import java.util.Locale;
import java.util.Optional;

/** The words of a text, in small letters; longer ones than any that is known are cut. */
final class Words {
  private static final int LONGEST = 16;

  private final String text;
  private final int end;
  private int at;
  private int begin;

  Words(String text, int from, int end) {
    this.text = text;
    this.at = from;
    this.end = end;
  }

  Optional<String> next() {
    while (at < end && !LineWords.isLetter(text.charAt(at))) {
      at++;
    }
    if (at >= end) {
      return Optional.empty();
    }
    begin = at;
    while (at < end && LineWords.isLetter(text.charAt(at))) {
      at++;
    }
    return Optional.of(
        text.substring(begin, Math.min(at, begin + LONGEST)).toLowerCase(Locale.ROOT));
  }

  /** Whether the newest word is part of a path, a module or a variable. */
  boolean isPartOfName() {
    return (begin > 0 && joins(text.charAt(begin - 1)))
        || (at < text.length() && joins(text.charAt(at)));
  }

  private static boolean joins(char c) {
    return c == '/' || c == '.' || c == '_' || c == '-';
  }
}
