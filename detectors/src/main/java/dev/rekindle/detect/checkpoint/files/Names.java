package dev.rekindle.detect.checkpoint.files;

/** File names in sentences: they are the tenant's and may hold anything. */
public final class Names {
  private static final int LONGEST = 60;

  private Names() {}

  /** A name for a reason: at most 60 printable characters. */
  public static String printable(String name) {
    var shown = name.length() <= LONGEST ? name : name.substring(0, LONGEST - 3) + "...";
    return shown.replaceAll("[^ -~]", "?");
  }
}
