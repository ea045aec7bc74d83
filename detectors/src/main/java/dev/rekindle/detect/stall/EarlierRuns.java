package dev.rekindle.detect.stall;

import dev.rekindle.detect.flightrecorder.Collective;
import dev.rekindle.detect.flightrecorder.Dump;
import dev.rekindle.detect.flightrecorder.ProcessGroup;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Dumps of an earlier run of the job: a process that writes no dump leaves that of its predecessor,
 * under the same name. A collective of all is over on no rank before each has enqueued it. So a
 * rank on which one was over, by its dump, long before another rank enqueued it, did not run with
 * that rank.
 */
final class EarlierRuns {
  /** Clocks of nodes differ by less, and runs are further apart: a restart takes longer. */
  private static final Duration SKEW = Duration.ofMinutes(1);

  private EarlierRuns() {}

  /**
   * Finds them among the dumps of one job; none where they would be half of all or more, as one
   * clock that is wrong makes all others look so.
   *
   * @param ofAll the collectives in which each rank waits for each
   */
  static NavigableSet<Integer> among(Collection<Dump> dumps, Pattern ofAll) {
    Map<ProcessGroup, Map<Long, Long>> enqueued = new HashMap<>();
    for (var dump : dumps) {
      dump.groups()
          .forEach(
              (group, progress) -> {
                var times = enqueued.computeIfAbsent(group, _ -> new HashMap<>());
                progress.operations().stream()
                    .filter(c -> !c.pointToPoint())
                    .forEach(c -> times.merge(c.sequence(), c.created(), Math::max));
              });
    }
    NavigableSet<Integer> earlier = new TreeSet<>();
    for (var dump : dumps) {
      boolean any =
          dump.groups().entrySet().stream()
              .anyMatch(
                  group -> {
                    var times = enqueued.getOrDefault(group.getKey(), Map.of());
                    return group.getValue().operations().stream()
                        .filter(c -> ofAll.matcher(c.operation()).matches())
                        .anyMatch(c -> isBefore(c, times));
                  });
      if (any) {
        earlier.add(dump.rank());
      }
    }
    return 2 * earlier.size() < dumps.size() ? earlier : new TreeSet<>();
  }

  private static boolean isBefore(Collective over, Map<Long, Long> enqueued) {
    return over.ended() > 0
        && over.ended() + SKEW.toNanos() < enqueued.getOrDefault(over.sequence(), 0L);
  }
}
