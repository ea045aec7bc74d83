package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import org.jspecify.annotations.Nullable;

/** Ways in which the rewriting of a tracker ends. */
public enum TrackerResult {
  REWRITTEN("Rewritten"),
  /** It named the pinned checkpoint already. */
  UNCHANGED("Unchanged"),
  /** It is as it was. */
  REFUSED("Refused");

  private final String word;

  TrackerResult(String word) {
    this.word = word;
  }

  /** The word that stands in the object. */
  @JsonValue
  public String word() {
    return word;
  }

  /** That of the word; null for another one, so that one odd object does not spoil a list. */
  @JsonCreator
  static @Nullable TrackerResult of(@Nullable String word) {
    for (TrackerResult one : values()) {
      if (one.word.equals(word)) {
        return one;
      }
    }
    return null;
  }
}
