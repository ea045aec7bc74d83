package dev.rekindle.detect.ncclog;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The newest few lines of each rank of a pod. For one thread. */
public final class RecentLines {
  /** Lines of one rank. A line that says the same as one that is there is left out. */
  public static final int MOST_LINES = 8;

  /** Ranks of a pod. */
  static final int MOST_RANKS = 64;

  private final NavigableMap<Integer, Deque<LoggedLine>> byRank = new TreeMap<>();
  private @Nullable List<LoggedLine> all = List.of();

  /** Takes what a line says, if it says anything. */
  public void take(Instant time, String line) {
    NcclLines.read(line).ifPresent(found -> take(new LoggedLine(found.rank(), time, found.fact())));
  }

  private void take(LoggedLine line) {
    if (!byRank.containsKey(line.rank()) && byRank.size() == MOST_RANKS) {
      return;
    }
    var lines = byRank.computeIfAbsent(line.rank(), _ -> new ArrayDeque<>());
    if (lines.stream().anyMatch(known -> known.fact().equals(line.fact()))) {
      return;
    }
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
