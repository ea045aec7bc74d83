package dev.rekindle.detect.ras;

import java.io.ByteArrayOutputStream;

/**
 * Puts commas where a value is followed by another one: NCCL 2.28.9 leaves them out in lists of
 * missing ranks. Outside of texts no JSON has a value right behind a value.
 */
final class CommaRepair {
  private CommaRepair() {}

  static byte[] of(byte[] json) {
    var out = new ByteArrayOutputStream(json.length + 64);
    boolean inText = false;
    boolean afterValue = false;
    boolean blank = false;
    for (int i = 0; i < json.length; i++) {
      byte c = json[i];
      if (inText) {
        out.write(c);
        if (c == '\\' && i + 1 < json.length) {
          out.write(json[++i]);
        } else if (c == '"') {
          inText = false;
          afterValue = true;
          blank = false;
        }
        continue;
      }
      boolean space = c == ' ' || c == '\n' || c == '\r' || c == '\t';
      if (space) {
        blank = true;
      } else {
        boolean begins = c == '"' || c == '{' || c == '[' || (blank && isWord(c));
        if (afterValue && begins) {
          out.write(',');
        }
        inText = c == '"';
        afterValue = !inText && (c == '}' || c == ']' || isWord(c));
        blank = false;
      }
      out.write(c);
    }
    return out.toByteArray();
  }

  private static boolean isWord(byte c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '.';
  }
}
