package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import org.jspecify.annotations.Nullable;

/** What mode {@code observe} would have done. */
public enum ShadowAction {
  /** Cordon a node. */
  FENCE("Fence"),
  /** Restart a job. */
  RESTART("Restart");

  private final String word;

  ShadowAction(String word) {
    this.word = word;
  }

  /** The word that stands in the object. */
  @JsonValue
  public String word() {
    return word;
  }

  /** That of the word; null for another one, so that one odd object does not spoil a list. */
  @JsonCreator
  static @Nullable ShadowAction of(@Nullable String word) {
    for (ShadowAction one : values()) {
      if (one.word.equals(word)) {
        return one;
      }
    }
    return null;
  }
}
