package dev.rekindle.detect.stall;

/** What kind of fault stalls a job. */
public enum StallClass {
  /**
   * The process of a rank does not come to its next collective: stopped, in a lock, loading data.
   */
  HOST("host"),
  /** A rank has joined its collective and its device, or a link of it, does not get on. */
  DEVICE_OR_LINK("device-or-link"),
  /** Ranks call collectives that do not fit together: a bug, that a restart repeats. */
  PROGRAM("program"),
  /** All ranks have joined, and the collective does not end. */
  NETWORK("network"),
  /** The witnesses do not say. */
  UNKNOWN("unknown");

  private final String word;

  StallClass(String word) {
    this.word = word;
  }

  /** As reports have it. */
  public String word() {
    return word;
  }
}
