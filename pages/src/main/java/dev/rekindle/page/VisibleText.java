package dev.rekindle.page;

import java.util.Locale;

/**
 * What others wrote, made fit to be read: characters that are not seen, or that change the order in
 * which a line is read, are written as their number.
 */
final class VisibleText {
  private VisibleText() {}

  /** The text with such characters shown as {@code U+202E}. Of the same meaning to a reader. */
  static String of(String text) {
    StringBuilder seen = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            c -> {
              if (c == '\t' || c == '\n' || c == '\r') {
                seen.append(' ');
              } else if (isUnseen(c)) {
                seen.append(String.format(Locale.ROOT, "‹U+%04X›", c));
              } else {
                seen.appendCodePoint(c);
              }
            });
    return seen.toString();
  }

  private static boolean isUnseen(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          true;
      default -> false;
    };
  }
}
