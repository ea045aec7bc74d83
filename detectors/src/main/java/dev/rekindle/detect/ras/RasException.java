package dev.rekindle.detect.ras;

/** No complete answer; the message says why, in one short sentence. */
public final class RasException extends Exception {
  private static final long serialVersionUID = 1L;

  RasException(String why) {
    super(why);
  }
}
