package dev.rekindle.detect.restart;

/** One thing to be done with one container now. Each is tried until it has succeeded. */
sealed interface RestartAction {
  /** What is to be on disk before. */
  JournalEntry note();

  /** All its processes are to stand still. */
  record Freeze(JournalEntry note) implements RestartAction {}

  /** None of its processes is to be left. */
  record Kill(JournalEntry note) implements RestartAction {}

  /** It is to run on. */
  record Thaw(JournalEntry note) implements RestartAction {}

  /** Nothing is to be done but to remember it. */
  record Remember(JournalEntry note) implements RestartAction {}
}
