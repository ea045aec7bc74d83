package dev.rekindle.detect.checkpoint.s3;

import java.nio.charset.StandardCharsets;

/** Keys of objects: any text, of which only those count that could be paths of files. */
final class Keys {
  private static final String HEX = "0123456789ABCDEF";

  /** Characters of a key: S3 has 1,024 bytes at most. */
  static final int LONGEST = 1_024;

  private Keys() {}

  /** Whether each part between slashes could be the name of a file. */
  static boolean isPath(String key) {
    for (var part : key.split("/", -1)) {
      if (!isName(part)) {
        return false;
      }
    }
    return true;
  }

  /** Whether it could be the name of a file. */
  static boolean isName(String name) {
    return !name.isEmpty()
        && !name.equals(".")
        && !name.equals("..")
        && name.chars().noneMatch(Character::isISOControl);
  }

  /**
   * As it stands in a request and is signed: everything but letters, digits and {@code -._~} is
   * written as bytes of UTF-8 in hexadecimal (Signature Version 4, "UriEncode").
   *
   * @param slash whether a slash stays one, as in a path
   */
  static String encode(String text, boolean slash) {
    var encoded = new StringBuilder(text.length() + 16);
    for (var b : text.getBytes(StandardCharsets.UTF_8)) {
      var c = (char) (b & 0xFF);
      if ((c >= 'A' && c <= 'Z')
          || (c >= 'a' && c <= 'z')
          || (c >= '0' && c <= '9')
          || "-._~".indexOf(c) >= 0
          || (slash && c == '/')) {
        encoded.append(c);
      } else {
        encoded.append('%').append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 0xF));
      }
    }
    return encoded.toString();
  }

  /**
   * As it was before it was encoded; a plus is a space.
   *
   * @throws IllegalArgumentException where a per cent sign has no two digits behind it
   */
  static String decode(String text) {
    if (text.indexOf('%') < 0 && text.indexOf('+') < 0) {
      return text;
    }
    var bytes = new java.io.ByteArrayOutputStream(text.length());
    for (int i = 0; i < text.length(); i++) {
      var c = text.charAt(i);
      if (c == '%') {
        if (i + 2 >= text.length()) {
          throw new IllegalArgumentException("a key ends within an escape");
        }
        bytes.write(Integer.parseInt(text, i + 1, i + 3, 16));
        i += 2;
      } else if (c == '+') {
        bytes.write(' ');
      } else {
        var character = text.codePointAt(i);
        bytes.writeBytes(Character.toString(character).getBytes(StandardCharsets.UTF_8));
        i += Character.charCount(character) - 1;
      }
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
