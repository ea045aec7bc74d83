package dev.rekindle.detect.checkpoint.orbax;

import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Verdict;
import java.io.IOException;
import java.io.Serial;

/** A database of arrays is not whole, or cannot be judged. */
final class OcdbtException extends IOException {
  @Serial private static final long serialVersionUID = 1L;

  private final transient Verdict verdict;

  private OcdbtException(Verdict verdict) {
    super(verdict.reason());
    this.verdict = verdict;
  }

  static OcdbtException torn(Level level, String reason) {
    return new OcdbtException(Verdict.torn(level, reason));
  }

  static OcdbtException unknown(String reason) {
    return new OcdbtException(Verdict.unknown(Level.L3, reason));
  }

  Verdict verdict() {
    return verdict;
  }
}
