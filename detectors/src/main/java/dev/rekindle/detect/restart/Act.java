package dev.rekindle.detect.restart;

/** One thing to be done with one container now. Each is tried until it has succeeded. */
sealed interface Act {
  /** What is to be on disk before. */
  Note note();

  /** All its processes are to stand still. */
  record Freeze(Note note) implements Act {}

  /** None of its processes is to be left. */
  record Kill(Note note) implements Act {}

  /** It is to run on. */
  record Thaw(Note note) implements Act {}

  /** Nothing is to be done but to remember it. */
  record Remember(Note note) implements Act {}
}
