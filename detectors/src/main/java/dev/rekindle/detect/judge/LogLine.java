package dev.rekindle.detect.judge;

/**
 * One line of a log.
 *
 * @param kind what it is
 * @param stamp its time
 * @param boot id of its boot where the line names it, else empty
 * @param message the kernel's message, escapes undone; empty where there is none
 */
record LogLine(Kind kind, Stamp stamp, String boot, String message) {
  /** What a line is. */
  enum Kind {
    /** A message of the kernel. */
    KERNEL,
    /** Another's, or nothing that can be read. */
    OTHER,
    /** The mark that another boot begins. */
    BOOT
  }

  static LogLine kernel(Stamp stamp, String message) {
    return new LogLine(Kind.KERNEL, stamp, "", message);
  }

  static LogLine other(Stamp stamp) {
    return new LogLine(Kind.OTHER, stamp, "", "");
  }
}
