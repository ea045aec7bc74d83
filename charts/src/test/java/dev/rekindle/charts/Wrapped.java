package dev.rekindle.charts;

import java.util.List;

/** Markdown that the build writes, in lines that are no longer than those of other pages. */
final class Wrapped {
  static final int WIDTH = 120;

  private Wrapped() {}

  /** An item of a list. */
  static String item(String text) {
    return "- " + String.join("\n  ", lines(text, WIDTH - 2));
  }

  /** The text in lines of at most so many characters; a longer word has a line of its own. */
  static List<String> lines(String text, int width) {
    StringBuilder all = new StringBuilder();
    int column = 0;
    for (String word : text.split(" ", -1)) {
      if (column > 0 && column + 1 + word.length() > width) {
        all.append('\n');
        column = 0;
      }
      all.append(column == 0 ? "" : " ").append(word);
      column += (column == 0 ? 0 : 1) + word.length();
    }
    return all.toString().lines().toList();
  }
}
