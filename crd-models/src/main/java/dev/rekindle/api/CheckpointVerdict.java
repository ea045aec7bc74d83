package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import org.jspecify.annotations.Nullable;

/** What is known of the checkpoints that a job may resume from. */
public enum CheckpointVerdict {
  /** The pinned one is complete. */
  VALID("Valid"),
  /** Nothing could be judged: the script decides by itself. */
  UNKNOWN("Unknown"),
  /** The directory holds no usable one: training starts over. */
  NONE("None");

  private final String word;

  CheckpointVerdict(String word) {
    this.word = word;
  }

  /** The word that stands in the object. */
  @JsonValue
  public String word() {
    return word;
  }

  /** That of the word; null for another one, so that one odd object does not spoil a list. */
  @JsonCreator
  static @Nullable CheckpointVerdict of(@Nullable String word) {
    for (CheckpointVerdict one : values()) {
      if (one.word.equals(word)) {
        return one;
      }
    }
    return null;
  }
}
