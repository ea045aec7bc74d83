package dev.rekindle.detect.file;

import java.io.IOException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;

/** Holds on to the file that a path leads to. */
interface Pin {
  /** By its name alone, for systems that have nothing better. */
  Pin BY_NAME = file -> new Pinned(file, List.of(LinkOption.NOFOLLOW_LINKS), () -> {});

  /**
   * Pins what is there, and does nothing else with it.
   *
   * @throws IOException when nothing is there
   */
  Pinned take(Path file) throws IOException;

  /** The best one that this machine has. */
  static Pin find() {
    return LinuxPin.FOUND;
  }

  /** Lets go. */
  interface Release {
    void run() throws IOException;
  }

  /**
   * A file that is held.
   *
   * @param path a name for it
   * @param options how the name is resolved
   * @param release lets go of it
   */
  record Pinned(Path path, List<LinkOption> options, Release release) implements AutoCloseable {
    @Override
    public void close() throws IOException {
      release.run();
    }
  }
}
