package dev.rekindle.detect.checkpoint.orbax;

import dev.rekindle.detect.checkpoint.files.LimitException;
import java.util.HashMap;
import java.util.Map;

/** Which part of each file is used. */
final class Extents {
  private static final int MOST_FILES = 200_000;
  private static final int MOST_CHARACTERS = 12 * 1024 * 1024;

  private final Map<String, Extent> byPath = new HashMap<>();
  private long characters;

  /**
   * What is used of a file.
   *
   * @param start of the first value in it
   * @param last start of the value that ends last
   * @param end of that
   */
  record Extent(long start, long last, long end) {
    Extent and(Extent other) {
      var latest = other.end > end ? other : this;
      return new Extent(Math.min(start, other.start), latest.last, latest.end);
    }
  }

  void add(String path, long offset, long length) throws LimitException, OcdbtException {
    if (offset < 0 || length < 0 || offset + length < 0) {
      throw OcdbtException.unknown("a value has a length that no file has");
    }
    int files = byPath.size();
    byPath.merge(path, new Extent(offset, offset, offset + length), Extent::and);
    characters += byPath.size() > files ? path.length() : 0;
    if (byPath.size() > MOST_FILES || characters > MOST_CHARACTERS) {
      throw new LimitException("values in more than " + MOST_FILES + " files, or in long paths");
    }
  }

  Map<String, Extent> byPath() {
    return byPath;
  }
}
