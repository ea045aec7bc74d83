package dev.rekindle.api;

/** Where a recovery stands. The order is the order of a recovery without failures. */
public enum RecoveryPhase {
  DETECTED("Detected"),
  FENCING("Fencing"),
  DRAINING("Draining"),
  PLANNING("Planning"),
  RESUMING("Resuming"),
  VERIFYING("Verifying"),
  RECOVERED("Recovered"),
  HELD("Held"),
  FAILED("Failed"),
  CANCELLED("Cancelled");

  private final String word;

  RecoveryPhase(String word) {
    this.word = word;
  }

  /** The word that stands in the object. */
  @com.fasterxml.jackson.annotation.JsonValue
  public String word() {
    return word;
  }

  /**
   * Whether a recovery in this phase is over for good. Held is not: it waits for something named.
   */
  public boolean isTerminal() {
    return this == RECOVERED || this == FAILED || this == CANCELLED;
  }
}
