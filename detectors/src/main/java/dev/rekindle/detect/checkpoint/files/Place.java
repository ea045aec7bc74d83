package dev.rekindle.detect.checkpoint.files;

import java.io.IOException;
import java.nio.file.Path;

/** A place that is scanned, again and again. */
public interface Place {
  /**
   * Opens it for one scan.
   *
   * @throws IOException when it is not there, or may not be read
   */
  Storage open(Budget budget) throws IOException;

  /** What it is called: an absolute path, or a URL. */
  String text();

  /** What a path below it is called; the empty path is the place itself. */
  default String below(String path) {
    return path.isEmpty() ? text() : text().endsWith("/") ? text() + path : text() + "/" + path;
  }

  /** A directory of this machine. */
  static Place directory(Path directory) {
    return new Place() {
      @Override
      public Storage open(Budget budget) throws IOException {
        return new LocalStorage(directory);
      }

      @Override
      public String text() {
        return directory.toString();
      }
    };
  }
}
