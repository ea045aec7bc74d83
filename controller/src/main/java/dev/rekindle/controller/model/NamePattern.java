package dev.rekindle.controller.model;

/** Names in policies that may have one {@code *}, which matches anything, also nothing. */
public final class NamePattern {
  private NamePattern() {}

  /** Whether the name fits the pattern. The star may stand anywhere in it. */
  public static boolean fits(String pattern, String name) {
    int star = pattern.indexOf('*');
    if (star < 0) {
      return pattern.equals(name);
    }
    String before = pattern.substring(0, star);
    String after = pattern.substring(star + 1);
    return name.length() >= before.length() + after.length()
        && name.startsWith(before)
        && name.endsWith(after);
  }

  /** Whether each name that fits the second pattern fits the first as well. */
  static boolean covers(String pattern, String other) {
    int star = pattern.indexOf('*');
    int others = other.indexOf('*');
    if (star < 0 || others < 0) {
      return fits(pattern, other);
    }
    return other.substring(0, others).startsWith(pattern.substring(0, star))
        && other.substring(others + 1).endsWith(pattern.substring(star + 1));
  }
}
