package dev.rekindle.detect.freeze;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.TreeSet;

/** A cgroup of a container with a freezer. A group that is gone has no processes. */
sealed interface Group permits GroupV1, GroupV2 {
  /** Its folder. */
  Path folder();

  /** By what it freezes, as reports say it. */
  String how();

  /** Asks the kernel to freeze all that is in it and below it. */
  void freeze() throws IOException;

  /** Whether all of it is frozen. */
  boolean isFrozen() throws IOException;

  /** Lets it run. */
  void thaw() throws IOException;

  /** Has every process killed, frozen or not. */
  void kill(SignalSender signals) throws IOException;

  /**
   * Its processes and those of the groups below it.
   *
   * @throws IOException when they cannot be read, or cannot be seen from here
   */
  default Set<Long> processes() throws IOException {
    Set<Long> all = new TreeSet<>();
    collect(folder(), all);
    return all;
  }

  private static void collect(Path folder, Set<Long> all) throws IOException {
    try {
      for (var line : Files.readAllLines(folder.resolve("cgroup.procs"))) {
        var pid = Long.parseLong(line.strip());
        if (pid == 0) {
          throw new IOException(
              "the agent cannot see the processes in " + folder + "; its pod needs hostPID");
        }
        all.add(pid);
      }
    } catch (NoSuchFileException gone) {
      // So are its groups, then.
    } catch (IOException e) {
      // A threaded group below names no processes: they stand in the group above it.
      if (Files.isDirectory(folder) && !reason(e).contains("not supported") && !goesAway(e)) {
        throw e;
      }
    }
    try (var entries = Files.list(folder)) {
      for (var entry : (Iterable<Path>) entries::iterator) {
        if (Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
          collect(entry, all);
        }
      }
    } catch (NoSuchFileException | UncheckedIOException gone) {
      // Groups come and go meanwhile; the next call shows it.
    }
  }

  /**
   * Whether a group went away while it was read or written: the kernel answers with ENODEV. To open
   * its file fails with another exception than to read it.
   */
  static boolean goesAway(IOException e) {
    return reason(e).contains("No such device");
  }

  private static String reason(IOException e) {
    return String.valueOf(e instanceof FileSystemException f ? f.getReason() : e.getMessage());
  }

  /** Writes to a file of the kernel that exists; makes none. */
  static void write(Path file, String text) throws IOException {
    Files.write(file, text.getBytes(StandardCharsets.US_ASCII), StandardOpenOption.WRITE);
  }
}
