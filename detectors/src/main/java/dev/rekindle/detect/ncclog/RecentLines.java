package dev.rekindle.detect.ncclog;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The newest few lines of each rank of a pod. For one thread. */
public final class RecentLines {
  /** Lines of one rank. A line that says the same as one that is there is left out. */
  public static final int MOST_LINES = 8;

  /** Ranks of a pod. */
  static final int MOST_RANKS = 64;

  private final NavigableMap<Integer, Deque<LoggedLine>> byRank = new TreeMap<>();
  private @Nullable List<LoggedLine> all = List.of();

  /**
   * Takes what a line says, if it says anything new.
   *
   * @param time when it was written, read for a new one only, as that takes longer than all else;
   *     empty for a line that is to be left out
   */
  public void take(Supplier<Optional<Instant>> time, String line) {
    NcclLines.read(line)
        .filter(this::isNew)
        .ifPresent(
            found ->
                time.get().ifPresent(at -> keep(new LoggedLine(found.rank(), at, found.fact()))));
  }

  private boolean isNew(NcclLine line) {
    var lines = byRank.get(line.rank());
    return lines == null
        ? byRank.size() < MOST_RANKS
        : lines.stream().noneMatch(known -> known.fact().equals(line.fact()));
  }

  private void keep(LoggedLine line) {
    var lines = byRank.computeIfAbsent(line.rank(), _ -> new ArrayDeque<>());
    if (lines.size() == MOST_LINES) {
      lines.removeFirst();
    }
    lines.add(line);
    all = null;
  }

  /** Forgets all. */
  public void clear() {
    byRank.clear();
    all = List.of();
  }

  /** By rank, in their order; the same object until something is new. */
  public List<LoggedLine> all() {
    var made = all;
    if (made == null) {
      made = byRank.values().stream().flatMap(Deque::stream).toList();
      all = made;
    }
    return made;
  }
}
