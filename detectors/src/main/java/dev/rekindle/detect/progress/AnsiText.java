package dev.rekindle.detect.progress;

/**
 * A text without the escape sequences of terminals: colours, and the cursor's way. One pass.
 *
 * @param text what is left, without control characters but tabs
 * @param above whether the cursor was sent up afterwards: so tqdm draws a bar below another
 */
record AnsiText(String text, boolean above) {
  private static final char ESCAPE = 0x1b;

  /** Takes them out of a text. */
  static AnsiText of(String raw) {
    if (isPlain(raw)) {
      return new AnsiText(raw, false);
    }
    var text = new StringBuilder(raw.length());
    boolean above = false;
    for (int i = 0; i < raw.length(); i++) {
      char c = raw.charAt(i);
      if (c == ESCAPE) {
        int end = endOf(raw, i);
        above = above || (end - i > 1 && raw.charAt(i + 1) == '[' && raw.charAt(end) == 'A');
        i = end;
      } else if (c >= ' ' || c == '\t') {
        text.append(c);
      }
    }
    return new AnsiText(text.toString(), above);
  }

  private static boolean isPlain(String raw) {
    for (int i = 0; i < raw.length(); i++) {
      char c = raw.charAt(i);
      if (c < ' ' && c != '\t') {
        return false;
      }
    }
    return true;
  }

  /** The last character of the sequence that begins there. */
  private static int endOf(String raw, int escape) {
    int last = raw.length() - 1;
    int i = escape + 1;
    if (i > last) {
      return last;
    }
    char kind = raw.charAt(i);
    if (kind == '[') {
      for (i++; i <= last; i++) {
        if (raw.charAt(i) >= '@' && raw.charAt(i) <= '~') {
          return i;
        }
      }
      return last;
    }
    if (kind == ']') {
      // A title or a link: up to BEL, or to the backslash of another escape.
      for (i++; i <= last; i++) {
        if (raw.charAt(i) == 0x07 || (raw.charAt(i) == '\\' && raw.charAt(i - 1) == ESCAPE)) {
          return i;
        }
      }
      return last;
    }
    return i;
  }
}
