package dev.rekindle.logging;

import java.util.Locale;

/** How much is logged. Each level has those above it. */
public enum LogLevel {
  /** What needs a person. */
  ERROR,
  /** What went wrong and is tried again, or is left out. */
  WARN,
  /** What is done. */
  INFO,
  /** What it is done by. */
  DEBUG;

  /** As in a setting and in a line. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
