package dev.rekindle.detect.flightrecorder;

/** A file that is no complete dump; the message says why, in one short sentence. */
public final class DumpException extends Exception {
  private static final long serialVersionUID = 1L;

  DumpException(String why) {
    super(why);
  }
}
