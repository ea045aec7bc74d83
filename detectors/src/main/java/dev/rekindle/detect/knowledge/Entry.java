package dev.rekindle.detect.knowledge;

import java.util.List;

/**
 * What one word means.
 *
 * @param kind what sort of word it is
 * @param code the word; one that ends in {@code *} stands for all that begin so
 * @param meaning what it says, a clause without a full stop
 * @param impact what it does to jobs and nodes, a clause
 * @param does what Rekindle does, a sentence
 * @param diagnosis commands that show more; empty but for alerts
 * @param toDo what is left to a person, a clause
 */
public record Entry(
    Kind kind,
    String code,
    String meaning,
    String impact,
    String does,
    List<String> diagnosis,
    String toDo) {
  private static final String ALL = "*";

  public Entry {
    diagnosis = List.copyOf(diagnosis);
  }

  /** Whether it is about that word, in whatever case. */
  boolean isAbout(String word) {
    return code.endsWith(ALL)
        ? word.regionMatches(true, 0, code, 0, code.length() - 1)
        : code.equalsIgnoreCase(word);
  }

  /** Whether it stands for many words. */
  public boolean isPattern() {
    return code.endsWith(ALL);
  }
}
