package dev.rekindle.detect.checkpoint.json;

import java.util.HexFormat;

/** Writes texts as JSON. */
public final class JsonText {
  private JsonText() {}

  /** A JSON string in ASCII: file names are the tenant's and may hold anything. */
  public static void string(StringBuilder json, String text) {
    json.append('"');
    for (int i = 0; i < text.length(); i++) {
      var c = text.charAt(i);
      if (c == '"' || c == '\\') {
        json.append('\\').append(c);
      } else if (c >= ' ' && c <= '~') {
        json.append(c);
      } else {
        json.append("\\u").append(HexFormat.of().toHexDigits(c));
      }
    }
    json.append('"');
  }
}
