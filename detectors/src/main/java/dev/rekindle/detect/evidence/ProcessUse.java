package dev.rekindle.detect.evidence;

import dev.rekindle.api.MainThread;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Reads what processes use from the proc file system of the node. */
final class ProcessUse {
  /** Linux counts in hundredths of a second on all processors where programs see it. */
  private static final long MILLIS_PER_TICK = 10;

  /** After the state: utime and stime are fields 14 and 15 of proc_pid_stat(5), the state is 3. */
  private static final int USER = 11;

  private static final int SYSTEM = 12;

  private static final int MOST_BYTES = 4096;

  /** A rank has some hundred threads. */
  private static final int MOST_THREADS = 2048;

  private final Path proc;

  ProcessUse(Path proc) {
    this.proc = proc;
  }

  /** What a rank has used by now; empty where its process has ended. */
  Optional<RankUse> of(RankProcess rank) {
    var own = proc.resolve(String.valueOf(rank.pid()));
    var main = stat(own.resolve("task/" + rank.pid() + "/stat"));
    if (main.isEmpty()) {
      return Optional.empty();
    }
    Map<Long, Long> cpu = new HashMap<>();
    Map<Long, Long> io = new HashMap<>();
    for (long process : rank.all()) {
      var folder = proc.resolve(String.valueOf(process));
      stat(folder.resolve("stat")).ifPresent(stat -> cpu.put(process, stat.millis()));
      io(folder).ifPresent(bytes -> io.put(process, bytes));
    }
    int threads = 0;
    int blocked = 0;
    try (var tasks = Files.newDirectoryStream(own.resolve("task"))) {
      for (var task : tasks) {
        if (threads == MOST_THREADS) {
          break;
        }
        threads++;
        blocked +=
            stat(task.resolve("stat")).filter(stat -> stat.state() == 'D').isPresent() ? 1 : 0;
      }
    } catch (IOException | DirectoryIteratorException ended) {
      return Optional.empty();
    }
    return Optional.of(
        new RankUse(cpu, main.get().millis(), io, state(main.get().state()), threads, blocked));
  }

  private static MainThread state(char letter) {
    return switch (letter) {
      case 'R' -> MainThread.RUNNING;
      case 'S', 'I' -> MainThread.SLEEPING;
      case 'D' -> MainThread.BLOCKED;
      case 'T', 't' -> MainThread.STOPPED;
      default -> MainThread.CHANGING;
    };
  }

  private record Stat(char state, long millis) {}

  private static Optional<Stat> stat(Path file) {
    var text = text(file);
    // The name before it may hold anything, parentheses and blanks included.
    int end = text.lastIndexOf(')');
    if (end < 0 || end + 2 >= text.length()) {
      return Optional.empty();
    }
    var fields = text.substring(end + 2).split(" ", SYSTEM + 2);
    try {
      long ticks =
          fields.length > SYSTEM
              ? Long.parseLong(fields[USER]) + Long.parseLong(fields[SYSTEM].strip())
              : 0;
      return Optional.of(new Stat(fields[0].charAt(0), ticks * MILLIS_PER_TICK));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** What went to and came from file systems, those of the network among them. */
  private static Optional<Long> io(Path process) {
    long bytes = 0;
    boolean found = false;
    for (var line : text(process.resolve("io")).split("\n", -1)) {
      if (line.startsWith("read_bytes: ") || line.startsWith("write_bytes: ")) {
        try {
          bytes += Long.parseLong(line.substring(line.indexOf(' ') + 1).strip());
          found = true;
        } catch (NumberFormatException e) {
          return Optional.empty();
        }
      }
    }
    return found ? Optional.of(bytes) : Optional.empty();
  }

  private static String text(Path file) {
    try (var in = Files.newInputStream(file)) {
      return new String(in.readNBytes(MOST_BYTES), StandardCharsets.ISO_8859_1);
    } catch (IOException ended) {
      return "";
    }
  }
}
