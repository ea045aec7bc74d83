package dev.rekindle.detect.pickle;

import java.io.IOException;
import java.io.Serial;

/** Bytes are no complete pickle of the kind that is wanted; the message says why, in one clause. */
public final class PickleException extends IOException {
  @Serial private static final long serialVersionUID = 1L;

  private final boolean cut;

  /** One clause. */
  public PickleException(String why) {
    this(why, false);
  }

  private PickleException(String why, boolean cut) {
    super(why);
    this.cut = cut;
  }

  /** The bytes end before the pickle does. */
  static PickleException cutOff(String why) {
    return new PickleException(why, true);
  }

  /** Whether the bytes end before the pickle does, so that it was not written to its end. */
  public boolean isCutOff() {
    return cut;
  }
}
