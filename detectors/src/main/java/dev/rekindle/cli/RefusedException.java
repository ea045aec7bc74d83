package dev.rekindle.cli;

/**
 * The command line is right, but what it names is not there, or the cluster refuses. The message
 * says why in one line.
 */
public final class RefusedException extends Exception {
  /** For that reason, in one line. */
  public RefusedException(String why) {
    super(why);
  }
}
