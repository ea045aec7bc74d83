package dev.rekindle.detect.stall;

import dev.rekindle.detect.file.RegularFile;
import dev.rekindle.detect.flightrecorder.Dump;
import dev.rekindle.detect.flightrecorder.DumpException;
import dev.rekindle.detect.flightrecorder.DumpReader;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/** The dumps of a job, one file at a time. */
final class DumpFiles {
  /** Collectives and groups kept of all files, about 1 GiB: each file alone is bounded as well. */
  static final long MOST_KEPT = 16_000_000;

  /** Clocks of nodes differ, and some archives keep whole seconds. */
  private static final Duration SKEW = Duration.ofSeconds(2);

  private record Read(Path file, Dump dump, FileTime written) {
    long nanos() {
      return written.to(TimeUnit.NANOSECONDS);
    }

    /** By what it holds: a copy has the time at which it was made. */
    boolean isNewerThan(Read other) {
      return dump.newest() == other.dump().newest()
          ? written.compareTo(other.written()) > 0
          : dump.newest() > other.dump().newest();
    }

    /** With its dump as it is by the time of the file. */
    Read atItsTime() {
      return new Read(file, dump.writtenAt(nanos()), written);
    }

    /** Whether it was written after what it holds. */
    boolean hasTime() {
      return nanos() + SKEW.toNanos() >= dump.newest();
    }
  }

  private final DumpReader reader = new DumpReader();
  private final NavigableMap<Integer, Read> dumps = new TreeMap<>();
  private final NavigableSet<Integer> unreadable = new TreeSet<>();

  /** Numbers in names that are those of several processes that ran at the same time. */
  private final NavigableSet<Integer> severalProcesses = new TreeSet<>();

  private final FileNotes notes;
  private final long mostKept;
  private long kept;
  private boolean copied;

  DumpFiles(FileNotes notes, long mostKept) {
    this.notes = notes;
    this.mostKept = mostKept;
  }

  /**
   * Reads one file.
   *
   * @throws IOException when it cannot be looked into
   */
  void take(Path file) throws IOException {
    int rank = FileRank.ofDump(file);
    if (rank < 0) {
      notes.refuse(file, "its name does not end with a rank");
      return;
    }
    var written = Files.getLastModifiedTime(file);
    var former = dumps.get(rank);
    try {
      if (Files.size(file) > DumpReader.MOST_BYTES) {
        notes.refuse(file, "larger than " + (DumpReader.MOST_BYTES >> 20) + " MiB");
        unreadable.add(rank);
        return;
      }
      var dump = reader.read(rank, RegularFile.read(file, DumpReader.MOST_BYTES));
      var read = new Read(file, dump, written);
      if (former != null && former.dump().isOfAnotherProcess(dump)) {
        severalProcesses.add(rank);
      }
      if (former != null && !read.isNewerThan(former)) {
        notes.refuse(file, "there is a newer dump of rank " + rank);
        return;
      }
      long more = size(dump) - (former == null ? 0 : size(former.dump()));
      if (kept + more > mostKept) {
        notes.refuse(file, "the dumps together hold more than " + mostKept + " collectives");
        unreadable.add(rank);
        return;
      }
      kept += more;
      dumps.put(rank, read);
    } catch (DumpException e) {
      notes.refuse(file, String.valueOf(e.getMessage()));
      unreadable.add(rank);
    } catch (AccessDeniedException e) {
      notes.refuse(file, "it may not be read by this user");
      unreadable.add(rank);
    }
  }

  private static long size(Dump dump) {
    return dump.groups().values().stream().mapToLong(p -> 1L + p.operations().size()).sum();
  }

  /**
   * Passes over dumps with one number in their names that are of several processes: ranks of their
   * nodes, or of two jobs. Whose they are nothing says.
   */
  void passOverUnclear() {
    for (int rank : severalProcesses) {
      var read = dumps.remove(rank);
      if (read != null) {
        kept -= size(read.dump());
        notes.refuse(
            read.file(),
            ("processes that ran at the same time have dumps of rank %d: of two jobs, or the"
                    + " numbers are not of the whole job")
                .formatted(rank));
        unreadable.add(rank);
      }
    }
  }

  /**
   * Passes over dumps that were written before another rank enqueued its newest collective: what
   * their ranks have done since, nothing says. A time that cannot be true, of an archive that keeps
   * none, says nothing.
   */
  void passOverFormer() {
    // Judged over all files: the dumps that are kept may be too few.
    copied = areCopies();
    dumps.replaceAll((_, read) -> copied || !read.hasTime() ? read : read.atItsTime());
    var timed = dumps.values().stream().filter(read -> !copied && read.hasTime()).toList();
    long newest = timed.stream().mapToLong(read -> read.dump().newest()).max().orElse(0);
    for (var read : timed) {
      long before = newest - read.nanos();
      if (before > SKEW.toNanos()) {
        long seconds = TimeUnit.NANOSECONDS.toSeconds(before);
        notes.refuse(
            read.file(), "written " + seconds + " s before another rank enqueued its newest");
        unreadable.add(read.dump().rank());
        dumps.remove(read.dump().rank());
      }
    }
  }

  /** One for each rank: the newest that can be read. */
  List<Dump> dumps() {
    return dumps.values().stream().map(Read::dump).toList();
  }

  /**
   * What they show.
   *
   * @param ranks ranks of the job; 0 where not known
   */
  StallReport report(int ranks) {
    return whileTraining()
        ? new StallReport(
            List.of(),
            StallClass.UNKNOWN,
            Confidence.LOW,
            List.of("all ranks enqueued or completed an operation within a second before: no hang"))
        : StallAnalysis.of(dumps(), unreadable(), Set.of(), ranks, moments());
  }

  /** When they were written, those that have a time. */
  private Moments moments() {
    var moments = new Moments();
    for (var read : dumps.values()) {
      if (!copied && read.hasTime()) {
        moments.add(read.dump(), read.nanos());
      } else {
        moments.addUntimed();
      }
    }
    return moments;
  }

  private boolean areCopies() {
    return FileTimes.areOfCopies(
        dumps.values().stream().map(Read::nanos).toList(),
        dumps.values().stream().sorted(Comparator.comparing(Read::file)).map(Read::nanos).toList());
  }

  /** Ranks of the largest group that a dump has; 0 where none lists any. */
  int largestGroup() {
    return dumps().stream()
        .flatMap(dump -> dump.groups().keySet().stream())
        .mapToInt(group -> group.ranks().size())
        .max()
        .orElse(0);
  }

  /** Whether there is none. */
  boolean isEmpty() {
    return dumps.isEmpty();
  }

  /** Ranks that have only files that cannot be read. */
  NavigableSet<Integer> unreadable() {
    NavigableSet<Integer> ranks = new TreeSet<>(unreadable);
    ranks.removeAll(dumps.keySet());
    return ranks;
  }

  /**
   * Whether the dumps were written while the job trained: each within a second of what its rank
   * enqueued or completed last, as not all are of one moment. Of a job that hangs no rank that
   * waits does either. The kernel gives files the time of its last tick.
   */
  private boolean whileTraining() {
    return !dumps.isEmpty()
        && dumps.values().stream()
            .mapToLong(read -> read.nanos() - read.dump().moved())
            .allMatch(age -> age >= -20_000_000L && age < 1_000_000_000L);
  }
}
