package dev.rekindle.detect.freeze;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;

/** The processes of this node, as its proc file system shows them. */
final class Processes {
  private final Path proc;

  Processes(Path proc) {
    this.proc = proc;
  }

  /** What the threads of a process do, together. */
  enum State {
    RUNS,
    STOPPED,
    DEAD
  }

  /**
   * All that live in a container, whatever the cgroup hierarchy that says so.
   *
   * @throws IOException when there is no proc file system
   */
  Set<Long> of(ContainerName name) throws IOException {
    Set<Long> found = new TreeSet<>();
    try (var entries = Files.newDirectoryStream(proc, "[0-9]*")) {
      for (var entry : entries) {
        if (isIn(entry, name)) {
          var process = Long.parseLong(String.valueOf(entry.getFileName()));
          if (state(process) != State.DEAD) {
            found.add(process);
          }
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return found;
  }

  private static boolean isIn(Path process, ContainerName name) {
    try {
      for (var line : Files.readAllLines(process.resolve("cgroup"))) {
        if (name.isIn(line.substring(line.lastIndexOf(':') + 1))) {
          return true;
        }
      }
    } catch (IOException ended) {
      return false;
    }
    return false;
  }

  /** What a process does now. */
  State state(long process) {
    var all = State.DEAD;
    try (var tasks = Files.newDirectoryStream(proc.resolve(process + "/task"))) {
      for (var task : tasks) {
        switch (letter(task)) {
          case 'Z', 'X', 'x' -> {}
          case 'T', 't' -> all = State.STOPPED;
          default -> {
            return State.RUNS;
          }
        }
      }
    } catch (IOException | DirectoryIteratorException ended) {
      return State.DEAD;
    }
    return all;
  }

  private static char letter(Path task) {
    try {
      var stat = Files.readString(task.resolve("stat"), StandardCharsets.ISO_8859_1);
      // The name before it may hold anything, parentheses and blanks included.
      return stat.charAt(stat.lastIndexOf(')') + 2);
    } catch (IOException | IndexOutOfBoundsException ended) {
      return 'X';
    }
  }
}
