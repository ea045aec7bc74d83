package dev.rekindle.detect.stall;

import dev.rekindle.detect.flightrecorder.Collective;
import dev.rekindle.detect.flightrecorder.Dump;
import dev.rekindle.detect.flightrecorder.GroupProgress;
import dev.rekindle.detect.flightrecorder.ProcessGroup;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.LongStream;

/**
 * When dumps were written, beside what they hold. Dumps of a job are not of one moment: a rank that
 * still moved as it wrote its dump may have come to anything since, and so may one that wrote it
 * before others enqueued what they wait in.
 *
 * <p>Guarantees: where no time is known, nothing is concluded from times.
 */
final class Moments {
  /**
   * A rank that enqueued or completed an operation so shortly before its dump was still on its way.
   */
  static final Duration JUST = Duration.ofSeconds(1);

  /** A rank that did so shortly before it may be slow, and no more than that. */
  static final Duration LATELY = Duration.ofSeconds(5);

  static final Moments UNKNOWN = new Moments();

  /** By rank and group, nanoseconds from the last that it did there to the dump. */
  private final Map<Integer, Map<ProcessGroup, Long>> idle = new TreeMap<>();

  /** Nanoseconds since the epoch, by one clock for all or by clocks that hardly differ. */
  private final Map<Integer, Long> written = new HashMap<>();

  /** Whether a file does not say when. */
  private boolean anyUntimed;

  /** By group, ranks that enqueue there while they stand in another one: a thread of its own. */
  private final Map<ProcessGroup, Integer> beside = new HashMap<>();

  /** Those in which two ranks do. */
  private final Set<ProcessGroup> besideTwice = new HashSet<>();

  /** A dump, and when it was written. */
  void add(Dump dump, long writtenNanos) {
    Map<ProcessGroup, Long> newest = new HashMap<>();
    dump.groups()
        .forEach(
            (group, progress) -> {
              long last =
                  progress.operations().stream().mapToLong(Collective::moved).max().orElse(0);
              if (last > 0) {
                newest.put(group, Math.max(0, writtenNanos - last));
              }
            });
    written.put(dump.rank(), writtenNanos);
    add(dump, newest);
  }

  /** A dump whose file does not say when it was written: it was copied. */
  void addUntimed() {
    anyUntimed = true;
  }

  /** Whether it is not known of all dumps when they were written. */
  boolean anyUntimed() {
    return anyUntimed;
  }

  /** A dump of which is known how long before it each group was last used. */
  void add(Dump dump, Map<ProcessGroup, Long> idleNanos) {
    idle.put(dump.rank(), idleNanos);
    Set<ProcessGroup> lately = new HashSet<>();
    idleNanos.forEach(
        (group, nanos) -> {
          if (nanos < LATELY.toNanos()) {
            lately.add(group);
          }
        });
    boolean stands = false;
    long newest = 0;
    for (var group : dump.groups().entrySet()) {
      if (idleNanos.containsKey(group.getKey()) && !lately.contains(group.getKey())) {
        stands |= waits(group.getValue());
        newest = Math.max(newest, pending(group.getValue()).max().orElse(0));
      }
    }
    for (var group : lately) {
      var progress = dump.groups().get(group);
      // A host that runs ahead has operations of all its groups before its device, mixed.
      boolean behind = progress == null || pending(progress).min().orElse(newest) >= newest;
      boolean now = idleNanos.getOrDefault(group, 0L) < JUST.toNanos();
      if (stands && behind && now && beside.putIfAbsent(group, dump.rank()) != null) {
        besideTwice.add(group);
      }
    }
  }

  private static LongStream pending(GroupProgress progress) {
    return progress.operations().stream()
        .filter(Collective::pending)
        .mapToLong(Collective::created);
  }

  /** Whether it has enqueued what is not over. */
  static boolean waits(GroupProgress progress) {
    return progress.waits() || progress.operations().stream().anyMatch(Collective::pending);
  }

  /**
   * Nanoseconds from the last that a rank did to its dump; a great number where not known. A group
   * that another rank continues to use while it stands elsewhere does not count: it has a thread of
   * its own.
   */
  private long idle(int rank) {
    return idle.getOrDefault(rank, Map.of()).entrySet().stream()
        .filter(e -> !isBeside(e.getKey(), rank))
        .mapToLong(Map.Entry::getValue)
        .min()
        .orElse(Long.MAX_VALUE);
  }

  private boolean isBeside(ProcessGroup group, int rank) {
    var first = beside.get(group);
    return first != null && (first != rank || besideTwice.contains(group));
  }

  /** Whether a rank was still on its way as it wrote its dump. */
  boolean moves(int rank) {
    return idle(rank) < JUST.toNanos();
  }

  /** Whether dumps are not of one moment: a rank moved as it wrote its own. */
  boolean differ() {
    return idle.keySet().stream().anyMatch(this::moves);
  }

  /** Whether it was not long before. */
  boolean movedLately(int rank) {
    return idle(rank) < LATELY.toNanos();
  }

  /** Whether a rank wrote its dump too early to show that it has not joined by now. */
  boolean isTooEarly(int rank, Collective awaited) {
    var time = written.get(rank);
    return time != null && awaited.created() > 0 && time - awaited.created() < JUST.toNanos();
  }

  /** Whether a rank wrote its dump before another one, which is ahead of it, had come to stand. */
  boolean isTooEarly(int rank, int ahead) {
    var mine = written.get(rank);
    var theirs = written.get(ahead);
    long stands = idle(ahead);
    return mine != null
        && theirs != null
        && stands != Long.MAX_VALUE
        && mine - (theirs - stands) < JUST.toNanos();
  }

  /** What is known of a rank that moves, for people. */
  String evidence(int rank) {
    return moves(rank)
        ? "rank %d enqueued or completed an operation %d ms before its dump: it moves, not named"
            .formatted(rank, Duration.ofNanos(idle(rank)).toMillis())
        : "rank %d may have waited for others: it is not named".formatted(rank);
  }
}
