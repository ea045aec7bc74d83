package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import org.jspecify.annotations.Nullable;

/** What the first steps after a restart show of the checkpoint that it was to resume from. */
public enum ResumeResult {
  /** The first step follows the pinned checkpoint. */
  PROVEN("Proven"),
  /** Nothing was pinned, or the steps of the job are not seen. */
  UNKNOWN("Unknown"),
  /**
   * The first step is further from the pinned checkpoint than the next save: another one was
   * loaded.
   */
  AHEAD("Ahead"),
  /** The first step is before the pinned checkpoint, and after an older one. */
  BEHIND("Behind"),
  /** The loss is more than twice what it was before the failure. */
  LOSS_FAR("LossFar"),
  /** Training began before any checkpoint: all that was saved is trained again. */
  FROM_ZERO("FromZero"),
  /** The checkpoint could not be loaded, by the lines of the log. */
  LOAD_ERROR("LoadError"),
  /** The loss is NaN or infinite from the first step on. */
  LOSS_NOT_FINITE("LossNotFinite"),
  /** A process ended before the gang counted as recovered. */
  CRASHED("Crashed"),
  /** The gang ended, with success even, or stood, and no step was made. */
  NO_NEW_STEP("NoNewStep"),
  /**
   * The attempt was ended by something that says nothing of the checkpoint: a faulty node, a lost
   * order.
   */
  INTERRUPTED("Interrupted");

  private final String word;

  ResumeResult(String word) {
    this.word = word;
  }

  /** Whether the attempt has failed for what its script made of the checkpoint. */
  public boolean failed() {
    return this == FROM_ZERO
        || this == LOAD_ERROR
        || this == LOSS_NOT_FINITE
        || this == CRASHED
        || this == NO_NEW_STEP;
  }

  /** Whether it shows by itself that the checkpoint is no good, so that it is not tried again. */
  public boolean condemns() {
    return this == LOAD_ERROR || this == LOSS_NOT_FINITE;
  }

  /** The word that stands in the object. */
  @JsonValue
  public String word() {
    return word;
  }

  /** That of the word; null for another one, so that one odd object does not spoil a list. */
  @JsonCreator
  static @Nullable ResumeResult of(@Nullable String word) {
    for (ResumeResult one : values()) {
      if (one.word.equals(word)) {
        return one;
      }
    }
    return null;
  }
}
