package dev.rekindle.logging;

import java.util.HexFormat;

/**
 * A string of JSON, which is also a quoted value of logfmt. Whatever could end a line, move a
 * cursor or turn the direction of text around is escaped: part of what is logged was written by
 * tenants.
 */
final class Quoted {
  private static final HexFormat HEX = HexFormat.of();
  private static final char REPLACEMENT = '\ufffd';

  private Quoted() {}

  static void append(StringBuilder to, String text) {
    to.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> to.append("\\\"");
        case '\\' -> to.append("\\\\");
        case '\n' -> to.append("\\n");
        case '\r' -> to.append("\\r");
        case '\t' -> to.append("\\t");
        default -> {
          if (Character.isHighSurrogate(c)
              && i + 1 < text.length()
              && Character.isLowSurrogate(text.charAt(i + 1))) {
            int point = text.codePointAt(i);
            i++;
            if (isHidden(point)) {
              escape(to, c);
              escape(to, text.charAt(i));
            } else {
              to.appendCodePoint(point);
            }
          } else if (Character.isSurrogate(c)) {
            to.append(REPLACEMENT);
          } else if (isHidden(c)) {
            escape(to, c);
          } else {
            to.append(c);
          }
        }
      }
    }
    to.append('"');
  }

  private static void escape(StringBuilder to, char c) {
    to.append("\\u").append(HEX.toHexDigits(c));
  }

  /** Control characters, ends of lines and paragraphs, and invisible marks. */
  private static boolean isHidden(int point) {
    return switch (Character.getType(point)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          true;
      default -> false;
    };
  }
}
