package dev.rekindle.detect.checkpoint.files;

import java.io.IOException;
import java.io.Serial;

/** A scan has cost as much as it may; the message says of what. */
public final class LimitException extends IOException {
  @Serial private static final long serialVersionUID = 1L;

  /** One clause, for a reason. */
  public LimitException(String message) {
    super(message);
  }
}
