package dev.rekindle.detect.stall;

import dev.rekindle.api.MainThread;
import dev.rekindle.api.RankActivity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * The ranks that do something else than all others, by what the kernel counts of them.
 *
 * <p>Ranks that wait in a collective do the same: over NCCL their main threads spin, over Gloo they
 * sleep. One whose main thread does the opposite of all others is not with them; nor is one whose
 * main thread cannot be woken. It is a weak witness: a thread may spin, or sleep, for many reasons.
 */
final class ActivityOutlier {
  private static final String WITNESS = "processor time";

  /**
   * Two ranks that differ do not say which of them is the other one. Nor do three: where two of
   * them hang, the third, which waits, is the one that differs (seed 673).
   */
  private static final int LEAST_RANKS = 4;

  /** Shares of a processor, in percent. Threads of NCCL and PyTorch beside take one or two. */
  private static final int BUSY = 50;

  private static final int IDLE = 10;

  /** A look that took much longer or shorter than it should says nothing. */
  private static final int LEAST_MILLIS = 200;

  private static final int MOST_MILLIS = 5_000;

  /** Bytes a second that are worth a word. */
  private static final long MUCH = 1 << 20;

  private static final int FEW = 3;

  private ActivityOutlier() {}

  /**
   * Finds them.
   *
   * @param found by rank, of the ranks that were inspected
   * @param worldSize ranks of the job; 0 where not known. Unless all were inspected there are none
   */
  static Outlier of(Map<Integer, RankActivity> found, int worldSize) {
    NavigableMap<Integer, RankActivity> usable = new TreeMap<>(found);
    usable.values().removeIf(a -> !isUsable(a));
    if (usable.size() < LEAST_RANKS || usable.size() != worldSize) {
      return Outlier.none(WITNESS, List.of());
    }
    NavigableSet<Integer> blocked = ranks(usable, a -> a.main() == MainThread.BLOCKED);
    NavigableSet<Integer> busy = ranks(usable, a -> share(a.mainMillis(), a) >= BUSY);
    NavigableSet<Integer> idle = ranks(usable, ActivityOutlier::isIdle);
    NavigableSet<Integer> quiet = ranks(usable, a -> share(a.mainMillis(), a) < IDLE);
    var evidence = evidence(usable);
    if (Outlier.isFew(blocked.size(), worldSize)) {
      return outlier(
          blocked, "its main thread waits for a disk, a network file system or a driver", evidence);
    }
    if (Outlier.isFew(idle.size(), worldSize) && busy.size() + idle.size() == worldSize) {
      return outlier(idle, "it sleeps while all other ranks spin", evidence);
    }
    if (Outlier.isFew(busy.size(), worldSize) && busy.size() + quiet.size() == worldSize) {
      return outlier(busy, "it computes while all other ranks sleep", evidence);
    }
    return Outlier.none(WITNESS, evidence);
  }

  private static boolean isUsable(RankActivity a) {
    return a.windowMillis() >= LEAST_MILLIS && a.windowMillis() <= MOST_MILLIS;
  }

  private static boolean isIdle(RankActivity a) {
    return share(a.mainMillis(), a) < IDLE
        && share(a.cpuMillis(), a) < IDLE
        && a.main() == MainThread.SLEEPING;
  }

  private static Outlier outlier(
      NavigableSet<Integer> ranks, String reason, List<String> evidence) {
    return new Outlier(WITNESS, ranks, reason, StallClass.HOST, Confidence.LOW, evidence);
  }

  private static long share(long millis, RankActivity a) {
    return 100L * millis / a.windowMillis();
  }

  private static NavigableSet<Integer> ranks(
      NavigableMap<Integer, RankActivity> found, Predicate<RankActivity> what) {
    NavigableSet<Integer> ranks = new TreeSet<>();
    found.forEach(
        (rank, activity) -> {
          if (what.test(activity)) {
            ranks.add(rank);
          }
        });
    return ranks;
  }

  /** How much processor time, from the least to the most; and who reads or writes much. */
  private static List<String> evidence(NavigableMap<Integer, RankActivity> found) {
    List<String> lines = new ArrayList<>();
    var sorted =
        found.entrySet().stream()
            .sorted(Comparator.comparingLong(e -> share(e.getValue().cpuMillis(), e.getValue())))
            .toList();
    lines.add(
        "processor time: least %s, most %s"
            .formatted(share(sorted.getFirst()), share(sorted.getLast())));
    found.entrySet().stream()
        .filter(e -> 1000 * e.getValue().ioBytes() / e.getValue().windowMillis() >= MUCH)
        .limit(FEW)
        .forEach(
            e ->
                lines.add(
                    "rank %d reads and writes %d MiB a second"
                        .formatted(
                            e.getKey(),
                            1000 * e.getValue().ioBytes() / e.getValue().windowMillis() / MUCH)));
    return lines;
  }

  private static String share(Map.Entry<Integer, RankActivity> rank) {
    return "rank %d (%d %% of a core)"
        .formatted(rank.getKey(), share(rank.getValue().cpuMillis(), rank.getValue()));
  }
}
