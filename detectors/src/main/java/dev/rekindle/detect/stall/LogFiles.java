package dev.rekindle.detect.stall;

import dev.rekindle.detect.file.RegularFile;
import dev.rekindle.detect.ncclog.LogFact;
import dev.rekindle.detect.ncclog.NcclLine;
import dev.rekindle.detect.ncclog.NcclLines;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;

/** The logs of a job: of each, the lines that are facts. */
final class LogFiles {
  /** What is read of one file: its end. */
  static final long MOST_OF_A_FILE = 256L << 20;

  /** What is read of all files. */
  static final long MOST_BYTES = 16L << 30;

  /** Facts of one rank in one file: the first ones, and the last. */
  private static final int FIRST = 16;

  private static final int LAST = 48;

  /** Facts of all files. */
  private static final int MOST_FACTS = 500_000;

  private static final int BUFFER = 64 * 1024;

  private record Kept(LogOrder order, LogFact fact) {}

  private final FileNotes notes;
  private final long mostBytes;
  private final List<LoggedFact> facts = new ArrayList<>();
  private final NavigableSet<Integer> ranks = new TreeSet<>();
  private long read;
  private int sources;

  LogFiles(FileNotes notes, long mostBytes) {
    this.notes = notes;
    this.mostBytes = mostBytes;
  }

  /**
   * Reads one file; whether it is a log of the job.
   *
   * @param named whether its name says that it is a log
   * @throws IOException when it cannot be read
   */
  boolean take(Path file, boolean named) throws IOException {
    long size = Math.min(Files.size(file), MOST_OF_A_FILE);
    if (read + size > mostBytes) {
      notes.refuse(file, "the logs together hold more than " + (mostBytes >> 20) + " MiB");
      return true;
    }
    read += size;
    Map<Integer, List<Kept>> found = new HashMap<>();
    int source = sources++;
    scan(file, size, (position, line) -> keep(found, source, position, line));
    int rank = rank(found, FileRank.of(file.getFileName().toString()));
    if (found.isEmpty() && !(named && rank >= 0)) {
      return false;
    }
    if (rank >= 0) {
      ranks.add(rank);
    }
    List<LoggedFact> ofFile = new ArrayList<>();
    found.forEach(
        (printed, lines) -> {
          int by = printed >= 0 ? printed : rank;
          lines.forEach(kept -> ofFile.add(new LoggedFact(by, kept.order(), kept.fact())));
        });
    ofFile.sort(Comparator.comparingLong(fact -> fact.order().position()));
    facts.addAll(ofFile.subList(0, Math.min(ofFile.size(), MOST_FACTS - facts.size())));
    return true;
  }

  /** A file in which other ranks print is not of the one that its name has. */
  private static int rank(Map<Integer, List<Kept>> found, int named) {
    return found.keySet().stream().allMatch(rank -> rank < 0 || rank == named) ? named : -1;
  }

  private static void keep(
      Map<Integer, List<Kept>> found, int source, long position, NcclLine line) {
    var kept = found.computeIfAbsent(line.rank(), _ -> new ArrayList<>());
    if (kept.size() == FIRST + LAST) {
      kept.remove(FIRST);
    }
    kept.add(new Kept(new LogOrder(source, position, line.millis()), line.fact()));
  }

  private interface Sink {
    void line(long position, NcclLine line);
  }

  private static void scan(Path file, long size, Sink sink) throws IOException {
    try (var channel = RegularFile.open(file)) {
      channel.position(Math.max(0, channel.size() - size));
      var buffer = ByteBuffer.allocate(BUFFER);
      var line = new byte[NcclLines.LONGEST];
      int length = 0;
      long position = 0;
      long left = size;
      while (left > 0 && channel.read(buffer.clear()) > 0) {
        buffer.flip();
        left -= buffer.remaining();
        while (buffer.hasRemaining()) {
          byte c = buffer.get();
          if (c == '\n' || c == '\r') {
            line(sink, position++, line, length);
            length = 0;
          } else if (length < line.length) {
            line[length++] = c;
          }
        }
      }
      line(sink, position, line, length);
    }
  }

  private static void line(Sink sink, long position, byte[] bytes, int length) {
    // One byte a character is enough to see that most lines hold nothing.
    if (length == 0
        || !NcclLines.mayHold(new String(bytes, 0, length, StandardCharsets.ISO_8859_1))) {
      return;
    }
    NcclLines.read(new String(bytes, 0, length, StandardCharsets.UTF_8))
        .ifPresent(found -> sink.line(position, found));
  }

  /** What the logs say. */
  List<LoggedFact> facts() {
    return facts;
  }

  /** Ranks whose own log is there. */
  NavigableSet<Integer> ranks() {
    return ranks;
  }

  /** Whether any log was read. */
  boolean isEmpty() {
    return facts.isEmpty() && ranks.isEmpty();
  }
}
