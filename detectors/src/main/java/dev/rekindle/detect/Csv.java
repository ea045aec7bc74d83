package dev.rekindle.detect;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads comma-separated values as RFC 4180 quotes them, one record at a time, from untrusted text:
 * a record that is wrong is reported with its line, and reading continues with the next line. Why
 * no library: docs/decisions/0032.
 */
public final class Csv {
  /** Longest field, in characters. */
  static final int MAX_FIELD = 4096;

  /** Most fields of a record. */
  static final int MAX_FIELDS = 64;

  /**
   * What stands at a line.
   *
   * @param line line on which the record begins, from 1
   * @param fields its fields; empty when it is wrong
   * @param trouble what is wrong with it, else empty
   */
  public record Row(int line, List<String> fields, String trouble) {
    /** An immutable copy. */
    public Row {
      fields = List.copyOf(fields);
    }
  }

  /** What makes a record unreadable. */
  private static final class Unreadable extends Exception {
    Unreadable(String why) {
      super(why);
    }
  }

  private final String text;
  private int at;
  private int line = 1;

  /** Reads that text from its beginning. */
  public Csv(String text) {
    this.text = text;
    // A byte order mark, as spreadsheets write it.
    this.at = text.startsWith("\uFEFF") ? 1 : 0;
  }

  /** The next record; empty lines are passed over. */
  public Optional<Row> next() {
    skipEmptyLines();
    if (at >= text.length()) {
      return Optional.empty();
    }
    int start = at;
    int startLine = line;
    try {
      return Optional.of(new Row(startLine, fields(), ""));
    } catch (Unreadable e) {
      // Only the line on which it began is given up: an open quote must not swallow all that
      // follows.
      at = start;
      line = startLine;
      skipLine();
      return Optional.of(new Row(startLine, List.of(), String.valueOf(e.getMessage())));
    }
  }

  /** Passes over the lines that follow and begin with {@code #}. */
  public void skipComments() {
    while (text.startsWith("#", at)) {
      skipLine();
    }
  }

  private void skipEmptyLines() {
    while (at < text.length() && atLineEnd()) {
      lineEnd();
    }
  }

  private void skipLine() {
    while (at < text.length() && !atLineEnd()) {
      at++;
    }
    lineEnd();
  }

  private boolean atLineEnd() {
    char c = text.charAt(at);
    return c == '\n' || c == '\r';
  }

  private void lineEnd() {
    if (at < text.length()) {
      at += text.startsWith("\r\n", at) ? 2 : 1;
      line++;
    }
  }

  private List<String> fields() throws Unreadable {
    List<String> fields = new ArrayList<>();
    while (true) {
      if (fields.size() == MAX_FIELDS) {
        throw new Unreadable("more than " + MAX_FIELDS + " fields");
      }
      fields.add(at < text.length() && text.charAt(at) == '"' ? quoted() : plain());
      if (at >= text.length()) {
        return fields;
      }
      if (atLineEnd()) {
        lineEnd();
        return fields;
      }
      // A comma; what follows it is a field, even at the end of the text.
      at++;
    }
  }

  private String plain() throws Unreadable {
    int start = at;
    while (at < text.length() && !atLineEnd() && text.charAt(at) != ',') {
      at++;
      if (at - start > MAX_FIELD) {
        throw new Unreadable("a field of more than " + MAX_FIELD + " characters");
      }
    }
    return text.substring(start, at);
  }

  private String quoted() throws Unreadable {
    StringBuilder value = new StringBuilder();
    at++;
    while (true) {
      if (at >= text.length()) {
        throw new Unreadable("a quote is never closed");
      }
      if (value.length() > MAX_FIELD) {
        throw new Unreadable(
            "a field of more than " + MAX_FIELD + " characters, or a quote that is never closed");
      }
      char c = text.charAt(at);
      if (c == '"' && !text.startsWith("\"\"", at)) {
        at++;
        break;
      }
      if (atLineEnd()) {
        value.append('\n');
        lineEnd();
        continue;
      }
      value.append(c);
      at += c == '"' ? 2 : 1;
    }
    if (at < text.length() && !atLineEnd() && text.charAt(at) != ',') {
      throw new Unreadable("text after a closing quote");
    }
    return value.toString();
  }

  /** A field as it must be written so that it is read back. */
  public static String escape(String field) {
    boolean plain = field.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
    return plain ? field : '"' + field.replace("\"", "\"\"") + '"';
  }
}
