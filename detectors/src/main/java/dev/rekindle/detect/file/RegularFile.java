package dev.rekindle.detect.file;

import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashSet;
import java.util.Set;

/**
 * Opens a file for reading if it is a regular one. A pipe would wait for a writer, and to open a
 * device may change it. A tenant can put either in the place of a file between a check and the
 * open, so on Linux the file is pinned first: what is checked is what is opened.
 */
public final class RegularFile {
  private RegularFile() {}

  /**
   * Opens a file. A link is not followed.
   *
   * @throws FileSystemException when it is no regular file
   * @throws IOException when it is not there, or may not be read
   */
  public static FileChannel open(Path file) throws IOException {
    return open(file, Pin.find(), () -> {});
  }

  /**
   * Reads a file from its beginning, so many bytes at most. A link is not followed.
   *
   * @throws FileSystemException when it is no regular file
   * @throws IOException when it is not there, or may not be read
   */
  public static byte[] read(Path file, int most) throws IOException {
    try (var in = Channels.newInputStream(open(file))) {
      return in.readNBytes(most);
    }
  }

  /** The same, with what happens between the check and the open. */
  static FileChannel open(Path file, Pin pin, Runnable between) throws IOException {
    try (var pinned = pin.take(file)) {
      var links = pinned.options().toArray(LinkOption[]::new);
      if (!Files.readAttributes(pinned.path(), BasicFileAttributes.class, links).isRegularFile()) {
        throw new FileSystemException(file.toString(), null, "not a regular file");
      }
      between.run();
      Set<OpenOption> how = new HashSet<>(pinned.options());
      how.add(StandardOpenOption.READ);
      return FileChannel.open(pinned.path(), how);
    }
  }
}
