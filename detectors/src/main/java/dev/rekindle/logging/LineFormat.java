package dev.rekindle.logging;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How the values of a line are written. */
public enum LineFormat {
  /** {@code key=value}, with a value in quotes where it has to be. */
  LOGFMT {
    @Override
    void field(StringBuilder line, String key, @Nullable Object value) {
      if (!line.isEmpty()) {
        line.append(' ');
      }
      line.append(key).append('=');
      if (!(value instanceof String text)) {
        line.append(value);
      } else if (isPlain(text)) {
        line.append(text);
      } else {
        Quoted.append(line, text);
      }
    }

    @Override
    void end(StringBuilder line) {}
  },

  /** An object of JSON (RFC 8259). */
  JSON {
    @Override
    void field(StringBuilder line, String key, @Nullable Object value) {
      line.append(line.isEmpty() ? '{' : ',');
      Quoted.append(line, key);
      line.append(':');
      if (value instanceof String text) {
        Quoted.append(line, text);
      } else {
        line.append(value);
      }
    }

    @Override
    void end(StringBuilder line) {
      line.append('}');
    }
  };

  /** As in a setting. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Appends one value.
   *
   * @param key of letters, digits and signs that need no quotes
   * @param value a string, a number that JSON has, a boolean, or nothing
   */
  abstract void field(StringBuilder line, String key, @Nullable Object value);

  /** Appends what comes after the last value. */
  abstract void end(StringBuilder line);

  /** Whether a text needs no quotes, and is not taken for an absent value without them. */
  private static boolean isPlain(String text) {
    return !text.isEmpty()
        && !text.equals("null")
        && text.chars().allMatch(c -> c > ' ' && c < 0x7f && c != '=' && c != '"' && c != '\\');
  }
}
