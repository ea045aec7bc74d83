package dev.rekindle.detect.checkpoint.files;

import java.io.IOException;
import java.io.Serial;

/** The time of this scan is over; the next one continues with the rest. */
public final class TimeOverException extends IOException {
  @Serial private static final long serialVersionUID = 1L;

  /** One clause, for a reason. */
  public TimeOverException(String message) {
    super(message);
  }
}
