package dev.rekindle.detect;

import java.util.ArrayList;
import java.util.List;

/** Reads comma-separated values as RFC 4180 quotes them. */
final class Csv {
  private Csv() {}

  /**
   * The rows of a text. Lines that start with {@code #} before the first row are comments.
   *
   * @throws IllegalArgumentException when a quoted field is not closed, or goes on after its quote
   */
  static List<List<String>> parse(String text) {
    var rows = new ArrayList<List<String>>();
    var row = new ArrayList<String>();
    var at = skipComments(text);
    while (at < text.length()) {
      at = field(text, at, row);
      if (at < text.length() && text.charAt(at) == ',') {
        at++;
        if (at == text.length()) {
          row.add("");
        }
        continue;
      }
      at += text.startsWith("\r\n", at) ? 2 : 1;
      rows.add(List.copyOf(row));
      row.clear();
    }
    if (!row.isEmpty()) {
      rows.add(List.copyOf(row));
    }
    return List.copyOf(rows);
  }

  private static int skipComments(String text) {
    var at = 0;
    while (text.startsWith("#", at)) {
      var lineEnd = text.indexOf('\n', at);
      at = lineEnd < 0 ? text.length() : lineEnd + 1;
    }
    return at;
  }

  /** Adds the field that starts here and returns the position of what ends it. */
  private static int field(String text, int start, List<String> row) {
    if (!text.startsWith("\"", start)) {
      var end = start;
      while (end < text.length() && ",\r\n".indexOf(text.charAt(end)) < 0) {
        end++;
      }
      row.add(text.substring(start, end));
      return end;
    }
    var value = new StringBuilder();
    var at = start + 1;
    while (true) {
      var quote = text.indexOf('"', at);
      if (quote < 0) {
        throw new IllegalArgumentException("quote at " + start + " is never closed");
      }
      value.append(text, at, quote);
      at = quote + 1;
      if (!text.startsWith("\"", at)) {
        break;
      }
      value.append('"');
      at++;
    }
    if (at < text.length() && ",\r\n".indexOf(text.charAt(at)) < 0) {
      throw new IllegalArgumentException("text after the closing quote at " + at);
    }
    row.add(value.toString());
    return at;
  }
}
