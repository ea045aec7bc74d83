package dev.rekindle.detect.progress;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Follows the log of one container in the kubelet's directory for it: {@code <n>.log} is run {@code
 * n} of the container and the highest counts; a rotation renames it and starts it again.
 */
final class LogFollower implements Closeable {
  /** What is read of a file that is seen for the first time, in bytes. */
  static final int TAIL = 64 * 1024;

  /** Most that one poll reads, in bytes. */
  static final int MAX_PER_POLL = 1024 * 1024;

  /** More than this unread, in bytes, and only the tail is read: steps of old do not matter. */
  static final int MAX_BEHIND = 8 * 1024 * 1024;

  private final Path directory;
  private final LineJoiner joiner = new LineJoiner();
  private final byte[] buffer = new byte[32 * 1024];
  private @Nullable LogFile file;
  private int run = -1;

  LogFollower(Path directory) {
    this.directory = directory;
  }

  /** Gets what a poll finds. */
  interface Sink extends LineJoiner.Sink {
    /** Called before the lines of a run of the container, and again for each poll. */
    void run(int run);
  }

  /**
   * Reads what was added since the last poll.
   *
   * @param most bytes to read at most, {@link #MAX_PER_POLL} where that is less
   * @throws IOException when the directory or the file cannot be read; the next poll tries again
   */
  void poll(int most, Sink sink) throws IOException {
    var newest = newestRun();
    var open = file;
    if (open != null) {
      sink.run(run);
      var unread = read(open, most, sink);
      var replaced = newest != run || !isCurrent(open);
      if (!replaced || unread) {
        return;
      }
      close();
    }
    if (newest < 0) {
      return;
    }
    // A file that takes the place of one read to its end is new; nothing of it may be left out.
    var first = run < 0;
    run = newest;
    sink.run(run);
    try {
      open = new LogFile(path(run), first ? TAIL : MAX_BEHIND);
    } catch (NoSuchFileException rotating) {
      return;
    }
    file = open;
    read(open, most, sink);
  }

  /** Reads a bounded number of bytes; whether there is more. */
  private boolean read(LogFile open, int most, Sink sink) throws IOException {
    if (open.left() > MAX_BEHIND && open.skipTo(TAIL)) {
      joiner.reset();
    }
    var bound = Math.min(most, MAX_PER_POLL);
    for (int done = 0; done < bound; ) {
      var count = open.read(buffer, Math.min(buffer.length, bound - done));
      if (count == 0) {
        return false;
      }
      joiner.add(buffer, count, sink);
      done += count;
    }
    return open.left() > 0;
  }

  private boolean isCurrent(LogFile open) throws IOException {
    try {
      return open.isAt(path(run));
    } catch (NoSuchFileException rotating) {
      return false;
    }
  }

  private Path path(int number) {
    return directory.resolve(number + ".log");
  }

  private int newestRun() throws IOException {
    var newest = -1;
    try (var entries = Files.newDirectoryStream(directory, "*.log")) {
      for (var entry : entries) {
        var name = String.valueOf(entry.getFileName());
        var digits = name.substring(0, name.length() - ".log".length());
        if (!digits.isEmpty()
            && digits.length() <= 9
            && digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
          newest = Math.max(newest, Integer.parseInt(digits));
        }
      }
    }
    return newest;
  }

  @Override
  public void close() throws IOException {
    joiner.reset();
    var open = file;
    file = null;
    if (open != null) {
      open.close();
    }
  }
}
