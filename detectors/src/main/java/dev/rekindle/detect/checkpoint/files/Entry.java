package dev.rekindle.detect.checkpoint.files;

import java.time.Instant;

/**
 * One name in a folder. A link that stays below the root is what it leads to.
 *
 * @param name without its folder
 * @param kind what it is
 * @param bytes size of a file; 0 for anything else
 * @param modified when it was last written
 * @param identity changes when another file takes the name
 */
public record Entry(String name, Kind kind, long bytes, Instant modified, long identity) {
  /** What an entry is. */
  public enum Kind {
    /** A file that may be read. */
    FILE,
    /** A folder. */
    FOLDER,
    /** A link that leads out of the root; not followed. */
    OUTSIDE,
    /** A pipe, a socket, a device: opening one may wait for ever. */
    OTHER
  }

  /** Whether it is a file. */
  public boolean isFile() {
    return kind == Kind.FILE;
  }

  /** Whether it is a folder. */
  public boolean isFolder() {
    return kind == Kind.FOLDER;
  }
}
