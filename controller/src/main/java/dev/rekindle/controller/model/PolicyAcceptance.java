package dev.rekindle.controller.model;

/**
 * What the condition {@code Accepted} of a RecoveryPolicy says.
 *
 * @param accepted whether the policy is used at all
 * @param reason why, as one word
 * @param message the same for people, with what to change
 */
public record PolicyAcceptance(boolean accepted, Reason reason, String message) {
  /** Reasons of the condition; listed in docs/operations/policies.md. */
  public enum Reason {
    /** It holds as it stands. */
    ACCEPTED("Accepted"),
    /** The policy {@code default} allows less than it requests. */
    LIMITED("LimitedByDefault"),
    /** It holds, and nothing new is begun under it. */
    PAUSED("Paused"),
    /** There is no policy {@code default}, so everything is only observed. */
    NO_DEFAULT("NoDefaultPolicy"),
    /** A value is not known, or values contradict each other: no part of it is used. */
    INVALID("Invalid");

    private final String word;

    Reason(String word) {
      this.word = word;
    }

    /** The word in the condition. */
    public String word() {
      return word;
    }
  }
}
