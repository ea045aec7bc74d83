package dev.rekindle.detect.kmsg;

/** What follows from a record cannot be delivered now; the record is to be offered again. */
public final class UndeliveredException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** For that reason. */
  public UndeliveredException(String message, Throwable cause) {
    super(message, cause);
  }
}
