package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonProperty;

/** A part of what was found of a rank. */
public enum EvidencePart {
  /** What its flight recorder holds. */
  @JsonProperty("Dump")
  DUMP,
  /** What its log says. */
  @JsonProperty("Lines")
  LINES,
  /** Where its main thread was. */
  @JsonProperty("Stack")
  STACK
}
