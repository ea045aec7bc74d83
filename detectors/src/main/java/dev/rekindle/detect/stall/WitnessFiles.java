package dev.rekindle.detect.stall;

import dev.rekindle.api.RankEvidence.Frame;
import dev.rekindle.detect.file.RegularFile;
import dev.rekindle.detect.ras.RasAnswer;
import dev.rekindle.detect.ras.RasException;
import dev.rekindle.detect.ras.RasReader;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * Dumps, logs, answers of RAS, stacks and states of processes below some paths, distinguished by
 * how they begin. One file is read at a time; a file that cannot be used is a note, and the others
 * count.
 */
final class WitnessFiles {
  private static final int DEEPEST = 6;
  private static final int MOST_FILES = 200_000;
  private static final int MOST_ANSWERS = 64;
  private static final int MOST_STACKS = 100_000;

  /** Enough to see what a file is. */
  private static final int BEGINNING = 4 * 1024;

  private static final String GZIP = "\u001f\ufffd";

  /** gzip, zip, zstd, xz, bzip2: what is no UTF-8 is read as one character. */
  private static final List<String> PACKED =
      List.of(GZIP, "PK\u0003\u0004", "(\ufffd/\ufffd", "\ufffd7zXZ", "BZh");

  /** Bounds on what all files together hold. */
  record Limits(long collectives, long logBytes) {
    static final Limits USUAL = new Limits(DumpFiles.MOST_KEPT, LogFiles.MOST_BYTES);
  }

  private final FileNotes notes = new FileNotes();
  private final DumpFiles dumps;
  private final LogFiles logs;
  private final List<RasAnswer> answers = new ArrayList<>();
  private final NavigableMap<Integer, List<Frame>> stacks = new TreeMap<>();
  private final NavigableSet<Integer> stopped = new TreeSet<>();

  private WitnessFiles(Limits limits) {
    dumps = new DumpFiles(notes, limits.collectives());
    logs = new LogFiles(notes, limits.logBytes());
  }

  /**
   * Reads all files below the paths.
   *
   * @throws IOException when a path cannot be looked into
   */
  static WitnessFiles read(List<Path> paths, Limits limits) throws IOException {
    var files = new WitnessFiles(limits);
    for (var path : paths) {
      try (Stream<Path> below = Files.walk(path.toRealPath(), DEEPEST)) {
        for (var file : below.filter(WitnessFiles::isOwn).limit(MOST_FILES).sorted().toList()) {
          files.take(file);
        }
      }
    }
    files.dumps.passOverUnclear();
    files.dumps.passOverFormer();
    return files;
  }

  /**
   * A pipe or a device is never opened: reading it may have no end. A link below a folder may have
   * been made by the job, and lead anywhere.
   */
  private static boolean isOwn(Path file) {
    return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS);
  }

  private void take(Path file) throws IOException {
    try {
      var beginning = beginning(file);
      if (beginning.startsWith(GZIP) && isDump(file)) {
        dumps.take(file);
      } else if (isPacked(beginning)) {
        notes.refuse(file, "it is packed: unpack it first");
      } else if (RasReader.isAnswer(beginning)) {
        answer(file);
      } else if (PythonStack.isStack(beginning)) {
        stack(file);
      } else if (isStatus(beginning)) {
        status(file, beginning);
      } else if (isText(beginning)) {
        log(file);
      } else {
        dumps.take(file);
      }
    } catch (AccessDeniedException e) {
      notes.refuse(file, "it may not be read by this user");
    } catch (FileSystemException e) {
      notes.refuse(file, "it was replaced or removed meanwhile");
    }
  }

  private static String beginning(Path file) throws IOException {
    return new String(RegularFile.read(file, BEGINNING), StandardCharsets.UTF_8);
  }

  /** Not a pickle, whose first byte is none of a text, and not an object of JSON. */
  private static boolean isText(String beginning) {
    return !beginning.isEmpty()
        && (beginning.charAt(0) != '{' || isLinesOfJson(beginning))
        && beginning.indexOf('\0') < 0
        && beginning.charAt(0) != '\ufffd';
  }

  /** Whether a file that is compressed by gzip begins as a dump does. */
  private static boolean isDump(Path file) throws IOException {
    try (var in = new GZIPInputStream(Channels.newInputStream(RegularFile.open(file)))) {
      var beginning = new String(in.readNBytes(BEGINNING), StandardCharsets.UTF_8);
      return !beginning.isEmpty() && !isText(beginning) && !isPacked(beginning);
    } catch (EOFException | ZipException e) {
      return false;
    }
  }

  /** A log as container runtimes keep it, and as log stores export it: an object for each line. */
  private static boolean isLinesOfJson(String beginning) {
    return beginning.contains("}\n{");
  }

  /** Archives and compressed files, by their first bytes. */
  private static boolean isPacked(String beginning) {
    return PACKED.stream().anyMatch(beginning::startsWith) || beginning.startsWith("ustar", 257);
  }

  /** What {@code /proc/PID/status} says of a process. */
  private static boolean isStatus(String beginning) {
    return beginning.startsWith("Name:\t") && beginning.contains("\nState:\t");
  }

  private void status(Path file, String beginning) {
    int rank = FileRank.of(file.getFileName().toString());
    if (rank < 0) {
      notes.refuse(file, "the status of a process without a rank in its name");
    } else if (beginning.contains("\nState:\tT (stopped)\n") && stopped.size() < MOST_STACKS) {
      stopped.add(rank);
    }
  }

  private void log(Path file) throws IOException {
    var name = file.getFileName().toString().toLowerCase(Locale.ROOT);
    boolean named = name.endsWith(".log") || name.endsWith(".txt");
    if (logs.take(file, named)) {
      return;
    }
    if (named) {
      notes.refuse(file, "no line of a watchdog or of NCCL, and no rank in its name");
    } else {
      dumps.take(file);
    }
  }

  private void answer(Path file) throws IOException {
    if (Files.size(file) > RasReader.MOST_BYTES) {
      notes.refuse(file, "larger than " + (RasReader.MOST_BYTES >> 20) + " MiB");
      return;
    }
    if (answers.size() == MOST_ANSWERS) {
      notes.refuse(file, "more than " + MOST_ANSWERS + " answers of RAS");
      return;
    }
    try {
      answers.add(RasReader.read(RegularFile.read(file, RasReader.MOST_BYTES)));
    } catch (RasException e) {
      notes.refuse(file, String.valueOf(e.getMessage()));
    }
  }

  private void stack(Path file) throws IOException {
    int rank = FileRank.of(file.getFileName().toString());
    if (rank < 0) {
      notes.refuse(file, "a stack without a rank in its name");
      return;
    }
    if (Files.size(file) > PythonStack.MOST_BYTES || stacks.size() == MOST_STACKS) {
      notes.refuse(file, "larger than " + (PythonStack.MOST_BYTES >> 20) + " MiB, or one too many");
      return;
    }
    var frames =
        PythonStack.read(
            new String(
                RegularFile.read(file, PythonStack.MOST_BYTES), StandardCharsets.ISO_8859_1));
    if (frames.isEmpty()) {
      notes.refuse(file, "a stack without a main thread");
    } else {
      stacks.put(rank, frames);
    }
  }

  DumpFiles dumps() {
    return dumps;
  }

  LogFiles logs() {
    return logs;
  }

  List<RasAnswer> answers() {
    return answers;
  }

  /** Innermost frames by rank. */
  NavigableMap<Integer, List<Frame>> stacks() {
    return stacks;
  }

  /** Ranks whose process is stopped by a signal. */
  NavigableSet<Integer> stopped() {
    return stopped;
  }

  FileNotes notes() {
    return notes;
  }

  /** Whether nothing at all can be used. */
  boolean isEmpty() {
    return dumps.isEmpty()
        && logs.isEmpty()
        && answers.isEmpty()
        && stacks.isEmpty()
        && stopped.isEmpty();
  }
}
