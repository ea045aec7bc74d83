package dev.rekindle.detect.checkpoint;

/**
 * What a look at one file gave.
 *
 * @param kind the verdict
 * @param reason why it is not valid, one clause; empty when it is
 */
record Verdict(Kind kind, String reason) {
  static final Verdict VALID = new Verdict(Kind.VALID, "");

  static Verdict torn(String reason) {
    return new Verdict(Kind.TORN, reason);
  }

  static Verdict unreadable(String reason) {
    return new Verdict(Kind.UNREADABLE, reason);
  }

  /** The verdicts. */
  enum Kind {
    /** The archive is complete (level L3 of the ladder). */
    VALID("valid"),
    /** The file is cut off, or parts of it are missing. */
    TORN("torn"),
    /** Nothing can be said: not the expected format, or it may not be read. */
    UNREADABLE("unreadable");

    private final String word;

    Kind(String word) {
      this.word = word;
    }

    String word() {
      return word;
    }
  }
}
