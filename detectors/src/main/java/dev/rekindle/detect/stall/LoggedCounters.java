package dev.rekindle.detect.stall;

import dev.rekindle.detect.flightrecorder.Dump;
import dev.rekindle.detect.flightrecorder.GroupProgress;
import dev.rekindle.detect.flightrecorder.ProcessGroup;
import dev.rekindle.detect.ncclog.LogFact.CollectiveTimeout;
import dev.rekindle.detect.ncclog.LogFact.DumpSignal;
import dev.rekindle.detect.ncclog.LogFact.WorkCounters;
import dev.rekindle.detect.ncclog.LoggedGroup;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * The counters that ranks have logged, as dumps that hold nothing else. Only of groups that are the
 * same for all their members by what the lines say: an older number of a group is one of the
 * process, and may be another group on another rank.
 */
final class LoggedCounters {
  private static final int MOST_LISTED = 100_000;

  /** Operations whose groups count sends and receives, which differ between ranks anyway. */
  private static final Set<String> POINT_TO_POINT = Set.of("SEND", "RECV", "COALESCED");

  private record Counters(long enqueued, long completed) {
    /** The first of several lines counts: later ones are printed while work is being aborted. */
    static Counters first(Counters before, Counters later) {
      boolean another =
          later.enqueued() < before.enqueued() || later.completed() > before.enqueued();
      return another ? later : before;
    }
  }

  private final List<Integer> all;
  private final Map<ProcessGroup, Map<Integer, Counters>> byGroup = new HashMap<>();

  /** Global ranks by the ranks inside a group, to see whether a name stands for two groups. */
  private final Map<ProcessGroup, Map<Long, Integer>> inside = new HashMap<>();

  private final Set<ProcessGroup> unusable = new HashSet<>();

  private LoggedCounters(int worldSize) {
    all = worldSize > MOST_LISTED ? List.of() : IntStream.range(0, worldSize).boxed().toList();
  }

  /** One for each rank that has logged any. */
  static List<Dump> of(Collection<LoggedFact> facts, int worldSize) {
    var counters = new LoggedCounters(worldSize);
    facts.stream().filter(fact -> fact.rank() >= 0).forEach(counters::add);
    return counters.dumps();
  }

  private void add(LoggedFact logged) {
    switch (logged.fact()) {
      case WorkCounters work ->
          add(logged.rank(), work.group(), new Counters(work.enqueued(), work.completed()));
      case DumpSignal signal when signal.enqueued() >= 0 ->
          add(logged.rank(), signal.group(), new Counters(signal.enqueued(), signal.completed()));
      case CollectiveTimeout timeout when POINT_TO_POINT.contains(timeout.operation()) ->
          group(logged.rank(), timeout.group()).ifPresent(unusable::add);
      default -> {}
    }
  }

  private void add(int rank, LoggedGroup logged, Counters counters) {
    group(rank, logged)
        .ifPresent(
            group -> {
              byGroup
                  .computeIfAbsent(group, _ -> new TreeMap<>())
                  .merge(rank, counters, Counters::first);
              var other =
                  inside
                      .computeIfAbsent(group, _ -> new HashMap<>())
                      .putIfAbsent(logged.rank(), rank);
              if (logged.rank() >= 0 && other != null && other != rank) {
                unusable.add(group);
              }
            });
  }

  /** The group, where its name means the same on all ranks. */
  private Optional<ProcessGroup> group(int rank, LoggedGroup logged) {
    if (isAll(rank, logged)) {
      return Optional.of(new ProcessGroup("0", "default_pg", all));
    }
    return logged.shared() && !logged.isDefault()
        ? Optional.of(new ProcessGroup(logged.name(), logged.description(), List.of()))
        : Optional.empty();
  }

  /** Whether it is the group of all ranks, in which a rank is its global one. */
  static boolean isAll(int rank, LoggedGroup logged) {
    return logged.isDefault() && logged.rank() == rank;
  }

  private List<Dump> dumps() {
    Map<Integer, Map<ProcessGroup, GroupProgress>> byRank = new TreeMap<>();
    byGroup.forEach(
        (group, ranks) -> {
          if (!unusable.contains(group)) {
            ranks.forEach(
                (rank, c) ->
                    byRank
                        .computeIfAbsent(rank, _ -> new HashMap<>())
                        .put(
                            group,
                            new GroupProgress(c.enqueued(), c.completed(), false, List.of())));
          }
        });
    return byRank.entrySet().stream().map(e -> new Dump(e.getKey(), e.getValue(), 0)).toList();
  }
}
