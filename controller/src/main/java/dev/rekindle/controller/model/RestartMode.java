package dev.rekindle.controller.model;

import java.util.Optional;

/** How a gang is to be brought back, as asked by a policy or a job's owner. */
public enum RestartMode {
  /** The faster way that is possible. */
  AUTO("auto"),
  /** Never in place. */
  REBUILD("rebuild"),
  /** In place wherever it is possible, even where a rebuild would be faster. */
  IN_PLACE("inPlace");

  private final String word;

  RestartMode(String word) {
    this.word = word;
  }

  /** The word that stands in policies and annotations. */
  public String word() {
    return word;
  }

  /** The mode of that word. */
  public static Optional<RestartMode> of(String word) {
    for (RestartMode mode : values()) {
      if (mode.word.equals(word)) {
        return Optional.of(mode);
      }
    }
    return Optional.empty();
  }
}
