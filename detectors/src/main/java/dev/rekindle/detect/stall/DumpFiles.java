package dev.rekindle.detect.stall;

import dev.rekindle.detect.flightrecorder.Dump;
import dev.rekindle.detect.flightrecorder.DumpException;
import dev.rekindle.detect.flightrecorder.DumpReader;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The dumps below some paths. One file is read at a time; a file that cannot be used is a note, and
 * the others count.
 */
final class DumpFiles {
  private static final int DEEPEST = 6;
  private static final int MOST_FILES = 200_000;
  private static final int MOST_NOTES = 16;

  /** Collectives and groups kept of all files, about 1 GiB: each file alone is bounded as well. */
  static final long MOST_KEPT = 16_000_000;

  /** {@code _dump_12}, {@code comm_lib_trace_rank_3}, {@code nccl_trace_rank_3.json}. */
  private static final Pattern RANK =
      Pattern.compile("(?:.*[^0-9])?(\\d{1,6})(?:\\.(?:json|pkl|pickle|bin|dump))?");

  private record Read(Dump dump, FileTime written) {}

  private final DumpReader reader = new DumpReader();
  private final NavigableMap<Integer, Read> dumps = new TreeMap<>();
  private final NavigableSet<Integer> unreadable = new TreeSet<>();
  private final List<String> notes = new ArrayList<>();
  private final long mostKept;
  private long kept;
  private int refused;

  private DumpFiles(long mostKept) {
    this.mostKept = mostKept;
  }

  /**
   * Reads all files below the paths.
   *
   * @param mostKept {@link #MOST_KEPT}
   * @throws IOException when a path cannot be looked into
   */
  static DumpFiles read(List<Path> paths, long mostKept) throws IOException {
    var files = new DumpFiles(mostKept);
    for (var path : paths) {
      try (Stream<Path> below = Files.walk(path.toRealPath(), DEEPEST)) {
        for (var file : below.filter(DumpFiles::isOwn).limit(MOST_FILES).sorted().toList()) {
          files.take(file);
        }
      }
    }
    files.unreadable.removeAll(files.dumps.keySet());
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
    var name = RANK.matcher(file.getFileName().toString());
    if (!name.matches()) {
      refuse(file, "its name does not end with a rank");
      return;
    }
    int rank = Integer.parseInt(name.group(1));
    var written = Files.getLastModifiedTime(file);
    var former = dumps.get(rank);
    if (former != null && former.written().compareTo(written) >= 0) {
      refuse(file, "there is a newer dump of rank " + rank);
      return;
    }
    try {
      if (Files.size(file) > DumpReader.MOST_BYTES) {
        refuse(file, "larger than " + (DumpReader.MOST_BYTES >> 20) + " MiB");
        unreadable.add(rank);
        return;
      }
      var dump = reader.read(rank, Files.readAllBytes(file));
      long more = size(dump) - (former == null ? 0 : size(former.dump()));
      if (kept + more > mostKept) {
        refuse(file, "the dumps together hold more than " + mostKept + " collectives");
        unreadable.add(rank);
        return;
      }
      kept += more;
      dumps.put(rank, new Read(dump, written));
    } catch (DumpException e) {
      refuse(file, String.valueOf(e.getMessage()));
      unreadable.add(rank);
    } catch (AccessDeniedException e) {
      refuse(file, "it may not be read by this user");
      unreadable.add(rank);
    }
  }

  private static long size(Dump dump) {
    return dump.groups().values().stream().mapToLong(p -> 1L + p.operations().size()).sum();
  }

  private void refuse(Path file, String why) {
    refused++;
    if (notes.size() < MOST_NOTES) {
      notes.add(file.getFileName() + ": " + why);
    } else if (notes.size() == MOST_NOTES) {
      notes.add("and more files that cannot be used");
    }
  }

  /** One for each rank: the newest that can be read. */
  List<Dump> dumps() {
    return dumps.values().stream().map(Read::dump).toList();
  }

  /** Ranks that have only files that cannot be read. */
  NavigableSet<Integer> unreadable() {
    return unreadable;
  }

  /** Why files were passed over. */
  List<String> notes() {
    return notes;
  }

  /** Files that were passed over. */
  int refused() {
    return refused;
  }

  /**
   * Whether the dumps were written while collectives were enqueued: within a second of the newest
   * one. A job that hangs enqueues none.
   */
  boolean whileTraining() {
    long newest = dumps().stream().mapToLong(Dump::newest).max().orElse(0);
    return newest > 0
        && dumps.values().stream()
            .mapToLong(r -> r.written().to(TimeUnit.NANOSECONDS) - newest)
            .allMatch(age -> age >= -1_000_000L && age < 1_000_000_000L);
  }
}
