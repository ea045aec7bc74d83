package dev.rekindle.detect.checkpoint.tracker;

/**
 * What came of rewriting a tracker.
 *
 * @param kind which way it ended
 * @param file name of the tracker
 * @param before what it said; empty where that was not read
 * @param now what it says; empty where it was not rewritten
 * @param kept name of the file beside it that has the old text; empty where there is none
 * @param reason why it was left as it is, a clause; else empty
 */
public record TrackerOutcome(
    Kind kind, String file, String before, String now, String kept, String reason) {
  /** Ways to end. */
  public enum Kind {
    REWRITTEN,
    /** It names that checkpoint already. */
    UNCHANGED,
    REFUSED
  }
}
