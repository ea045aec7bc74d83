package dev.rekindle.detect.rules;

import java.util.Locale;
import java.util.Optional;

/** What follows from one finding; each outweighs those before it. */
public enum Verdict {
  /** Informational, or the echo of another error. */
  IGNORE,
  /** Nothing yet; it counts. */
  WATCH,
  /** The process that was hit dies of it, and the hardware is not in question. */
  RESTART,
  /** Keep work off the node. */
  FENCE;

  /** Its word in rules and reports. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Optional<Verdict> of(String word) {
    for (var verdict : values()) {
      if (verdict.word().equals(word)) {
        return Optional.of(verdict);
      }
    }
    return Optional.empty();
  }
}
