package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import org.jspecify.annotations.Nullable;

/** Whether what mode {@code observe} would have done was called for. */
public enum ShadowVerdict {
  /** Not known yet. */
  OPEN("Open"),
  /** What followed shows that it was. */
  RIGHT("Right"),
  /** What followed shows that it was not. */
  WRONG("Wrong"),
  /** What followed shows neither. */
  UNKNOWN("Unknown");

  private final String word;

  ShadowVerdict(String word) {
    this.word = word;
  }

  /** The word that stands in the object. */
  @JsonValue
  public String word() {
    return word;
  }

  /** That of the word; null for another one, so that one odd object does not spoil a list. */
  @JsonCreator
  static @Nullable ShadowVerdict of(@Nullable String word) {
    for (ShadowVerdict one : values()) {
      if (one.word.equals(word)) {
        return one;
      }
    }
    return null;
  }
}
