package dev.rekindle.detect.checkpoint.format;

/** The rungs of the ladder: how far a generation was checked. */
public enum Level {
  /** What names the newest one, a tracker, says something, and that is there. */
  L0,
  /** The marker that is written last is there, and none that says "unfinished". */
  L1,
  /**
   * The listing is complete: every file that belongs to it, none empty, none newer than the marker.
   */
  L2,
  /** Every file has the length and the structure that its own index says. */
  L3,
  /** Every byte was read and its checksum compared. */
  L4
}
