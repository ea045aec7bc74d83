package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import org.jspecify.annotations.Nullable;

/** What a line of a log says of a checkpoint that cannot be loaded. */
public enum LoadErrorKind {
  /** PyTorch cannot read the archive: {@code PytorchStreamReader failed}, a bad zip file. */
  ARCHIVE("Archive"),
  /** The pickle in it ends early or is none: {@code EOFError: Ran out of input}. */
  PICKLE("Pickle"),
  /** A distributed checkpoint does not load: {@code CheckpointException}. */
  DISTRIBUTED("Distributed"),
  /** A safetensors file has a bad header, or ends before its tensors do. */
  SAFETENSORS("Safetensors"),
  /** A file of the checkpoint is not there: {@code trainer_state.json}, a shard. */
  MISSING_FILE("MissingFile"),
  /** The trainer itself says that it could not load the checkpoint, or cannot read its index. */
  REFUSED("Refused");

  private final String word;

  LoadErrorKind(String word) {
    this.word = word;
  }

  /** The word that stands in the object. */
  @JsonValue
  public String word() {
    return word;
  }

  /** That of the word; null for another one, so that one odd object does not spoil a list. */
  @JsonCreator
  static @Nullable LoadErrorKind of(@Nullable String word) {
    for (LoadErrorKind one : values()) {
      if (one.word.equals(word)) {
        return one;
      }
    }
    return null;
  }
}
