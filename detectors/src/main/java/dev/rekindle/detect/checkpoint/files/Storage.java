package dev.rekindle.detect.checkpoint.files;

import java.io.IOException;
import java.util.List;

/**
 * Where checkpoints are. Paths are relative to its root, with slashes; the root itself is the empty
 * path. Nothing outside the root is reached, whatever links there are.
 */
public interface Storage {
  /**
   * Whether the times in it are those of the writes. In an object store they are those of uploads:
   * of a folder that was copied there in any order, the file that was written last may be old.
   */
  default boolean timesAreOfWrites() {
    return true;
  }

  /** Name of the root itself: the last part of its path, or empty. */
  String name();

  /**
   * What is in a folder.
   *
   * @param most so many entries at most; a folder that has more gives one more than that
   * @throws IOException when it cannot be listed
   */
  List<Entry> list(String folder, int most) throws IOException;

  /** Some names in a folder, without reading what they are; in no order. */
  List<String> names(String folder, int most) throws IOException;

  /**
   * Opens a file.
   *
   * @throws IOException when it is not there, is no file, or may not be read
   */
  Source open(String file) throws IOException;
}
