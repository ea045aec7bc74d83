package dev.rekindle.controller.network;

/**
 * Names of pools with {@code *}, {@code ?} and {@code [a-z]}, as Spiderpool takes them. Written by
 * hand as the patterns are a tenant's: a regular expression may take for ever.
 */
final class Wildcards {
  private Wildcards() {}

  /** Whether the name stands for others. */
  static boolean has(String pattern) {
    return pattern.chars().anyMatch(c -> c == '*' || c == '?' || c == '[');
  }

  /** Whether the pattern stands for the name: at most length times length steps. */
  static boolean match(String pattern, String name) {
    int p = 0;
    int n = 0;
    int star = -1;
    int retry = 0;
    while (n < name.length()) {
      int end = p < pattern.length() ? one(pattern, p, name.charAt(n)) : -1;
      if (p < pattern.length() && pattern.charAt(p) == '*') {
        star = p++;
        retry = n;
      } else if (end > 0) {
        p = end;
        n++;
      } else if (star >= 0) {
        p = star + 1;
        n = ++retry;
      } else {
        return false;
      }
    }
    while (p < pattern.length() && pattern.charAt(p) == '*') {
      p++;
    }
    return p == pattern.length();
  }

  /** Where the pattern continues if its next part stands for the character; -1 if it does not. */
  private static int one(String pattern, int at, char c) {
    char wanted = pattern.charAt(at);
    if (wanted == '?') {
      return at + 1;
    }
    int close = wanted == '[' ? pattern.indexOf(']', at + 1) : -1;
    if (close < 0) {
      return wanted == c && wanted != '*' ? at + 1 : -1;
    }
    boolean not = pattern.charAt(at + 1) == '^';
    boolean in = false;
    for (int i = not ? at + 2 : at + 1; i < close; i++) {
      boolean range = i + 2 < close && pattern.charAt(i + 1) == '-';
      char last = range ? pattern.charAt(i + 2) : pattern.charAt(i);
      in |= pattern.charAt(i) <= c && c <= last;
      i += range ? 2 : 0;
    }
    return in == not ? -1 : close + 1;
  }
}
