package dev.rekindle.controller.model;

import dev.rekindle.api.TrackerChange;

/** What is known, at one moment, of the rewriting of a tracker. */
public sealed interface TrackerView {
  /** It was not requested. */
  record Absent() implements TrackerView {}

  /** It is not over. {@code detail} says what it waits for. */
  record Pending(String detail) implements TrackerView {}

  /** It is over, or cannot be. */
  record Ended(TrackerChange change) implements TrackerView {}
}
