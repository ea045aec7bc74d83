package dev.rekindle.detect.ncclog;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A few lines of each rank of a pod: of each episode the first two, which show what came first, and
 * the newest. A line that says what another one says is left out, unless that one has not been seen
 * for {@link #SILENCE}: what the job has outlived may come again. For one thread.
 */
public final class RecentLines {
  /** Lines of one rank. */
  public static final int MOST_LINES = 8;

  /** Ranks of a pod. */
  static final int MOST_RANKS = 64;

  /** A line that was not repeated for so long belongs to something that is over. */
  static final Duration SILENCE = Duration.ofSeconds(30);

  private static final int FIRST_LINES = 2;

  private final NavigableMap<Integer, List<Kept>> byRank = new TreeMap<>();
  private final LongSupplier nanoTime;
  private @Nullable List<LoggedLine> all = List.of();

  /** A line, and when it was last read, by a clock that is never set. */
  private static final class Kept {
    private final LoggedLine line;
    private long seen;

    Kept(LoggedLine line, long seen) {
      this.line = line;
      this.seen = seen;
    }
  }

  /** None yet. */
  public RecentLines() {
    this(System::nanoTime);
  }

  RecentLines(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

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
    if (lines == null) {
      return byRank.size() < MOST_RANKS;
    }
    for (var known : lines) {
      if (known.line.fact().equals(line.fact())) {
        boolean over = isOver(known);
        known.seen = nanoTime.getAsLong();
        return over;
      }
    }
    return true;
  }

  private boolean isOver(Kept known) {
    return nanoTime.getAsLong() - known.seen > SILENCE.toNanos();
  }

  private void keep(LoggedLine line) {
    var lines = byRank.computeIfAbsent(line.rank(), _ -> new ArrayList<>(MOST_LINES));
    lines.removeIf(known -> known.line.fact().equals(line.fact()));
    if (lines.size() == MOST_LINES) {
      lines.remove(isOver(lines.getFirst()) ? 0 : FIRST_LINES);
    }
    lines.add(new Kept(line, nanoTime.getAsLong()));
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
      made = byRank.values().stream().flatMap(List::stream).map(known -> known.line).toList();
      all = made;
    }
    return made;
  }
}
