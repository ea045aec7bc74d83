package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import org.jspecify.annotations.Nullable;

/** How a recovery restarts the gang. */
public enum RestartWay {
  /** Survivors keep their pods; agents freeze and restart their containers. */
  IN_PLACE("InPlace"),
  /** The job is suspended, drained to zero and created again. */
  REBUILD("Rebuild");

  private final String word;

  RestartWay(String word) {
    this.word = word;
  }

  /** The word that stands in the object. */
  @JsonValue
  public String word() {
    return word;
  }

  /** That of the word; null for another one, so that one odd object does not spoil a list. */
  @JsonCreator
  static @Nullable RestartWay of(@Nullable String word) {
    for (RestartWay one : values()) {
      if (one.word.equals(word)) {
        return one;
      }
    }
    return null;
  }
}
