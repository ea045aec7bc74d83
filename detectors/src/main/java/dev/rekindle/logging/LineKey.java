package dev.rekindle.logging;

/** Keys that a line may have besides those of its values. */
enum LineKey {
  TIME("time", "time by the clock of the process: RFC 3339, UTC, milliseconds"),
  LEVEL("level", "`error`, `warn`, `info` or `debug`"),
  LOGGER("logger", "the class that logs"),
  MESSAGE("msg", "what happened; each place in the code always logs the same text"),
  STACK("stack", "a stack trace, after all other values");

  private final String key;
  private final String meaning;

  LineKey(String key, String meaning) {
    this.key = key;
    this.meaning = meaning;
  }

  String key() {
    return key;
  }

  /** For the page that lists them. */
  String meaning() {
    return meaning;
  }
}
