package dev.rekindle.detect.stall;

import java.util.Locale;

/** How much is behind a verdict. */
public enum Confidence {
  /** No rank is named, or one kind of sign alone, and by its absence, names a rank. */
  LOW,
  /** Numbers were inferred, or ranks have no witness. */
  MEDIUM,
  /** Every rank has a witness, and none disagrees. */
  HIGH;

  /** As reports have it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
