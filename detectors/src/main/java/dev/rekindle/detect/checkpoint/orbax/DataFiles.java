package dev.rekindle.detect.checkpoint.orbax;

import dev.rekindle.detect.checkpoint.files.LimitException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The files that a manifest or node names, each with the part of its path that holds for what is
 * named in it as well: arrays of other processes lie in folders of their own.
 */
final class DataFiles {
  private static final int MOST = 200_000;

  /** With what comes before it; those of Orbax have some 60 characters. */
  private static final int LONGEST_PATH = 1_024;

  private static final int MOST_BYTES = 12 * 1024 * 1024;

  private final String[] paths;
  private final String[] bases;

  private DataFiles(String[] paths, String[] bases) {
    this.paths = paths;
    this.bases = bases;
  }

  /**
   * Reads the table.
   *
   * @param base what comes before all its paths
   */
  static DataFiles read(Fields in, String base) throws IOException {
    int count = in.count(MOST, "files");
    var shared = new int[count];
    for (int i = 1; i < count; i++) {
      shared[i] = in.count(LONGEST_PATH, "bytes of a path");
    }
    var own = new int[count];
    for (int i = 0; i < count; i++) {
      own[i] = in.count(LONGEST_PATH, "bytes of a path");
    }
    var baseLengths = new int[count];
    for (int i = 0; i < count; i++) {
      baseLengths[i] = in.count(LONGEST_PATH, "bytes of a path");
    }
    var paths = new String[count];
    var bases = new String[count];
    var path = new byte[0];
    long total = 0;
    for (int i = 0; i < count; i++) {
      int length = base.length() + shared[i] + own[i];
      total += length;
      if (length > LONGEST_PATH) {
        throw new LimitException(in.what() + " has a path of " + length + " bytes");
      }
      if (total > MOST_BYTES) {
        throw new LimitException(in.what() + " has paths of more than " + MOST_BYTES + " bytes");
      }
      if (shared[i] > path.length || baseLengths[i] > shared[i] + own[i]) {
        throw OcdbtException.unknown(in.what() + " has a path that is shorter than its parts");
      }
      var next = Arrays.copyOf(path, shared[i] + own[i]);
      System.arraycopy(in.bytes(own[i]), 0, next, shared[i], own[i]);
      path = next;
      paths[i] = base + new String(path, StandardCharsets.UTF_8);
      var before = base + new String(path, 0, baseLengths[i], StandardCharsets.UTF_8);
      // Most are the same, and are kept once.
      bases[i] = i > 0 && before.equals(bases[i - 1]) ? bases[i - 1] : before;
    }
    return new DataFiles(paths, bases);
  }

  /** Reads which of them is meant. */
  int read(Fields in) throws IOException {
    long file = in.number();
    if (file < 0 || file >= paths.length) {
      throw OcdbtException.unknown(in.what() + " names a file that is not in its table");
    }
    return (int) file;
  }

  /** Below the folder of the manifest. */
  String path(int file) {
    return paths[file];
  }

  /** What comes before the paths in a node that is in this file. */
  String base(int file) {
    return bases[file];
  }
}
