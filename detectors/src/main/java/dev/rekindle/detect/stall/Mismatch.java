package dev.rekindle.detect.stall;

import dev.rekindle.detect.flightrecorder.Collective;
import dev.rekindle.detect.flightrecorder.GroupProgress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Ranks of one group that called different collectives, or the same with other sizes, under one
 * number.
 *
 * @param waits the group
 * @param sequence the first number at which they differ
 * @param calls ranks by what they called
 */
record Mismatch(GroupWaits waits, long sequence, NavigableMap<String, Set<Integer>> calls) {
  /** Every rank passes inputs of one size; those of the others may differ by rank. */
  private static final List<String> SAME_SIZES =
      List.of("all_reduce", "allreduce", "all_gather", "allgather", "broadcast", "barrier");

  private static final List<String> UNEVEN = List.of("uneven", "coalesced", "v_", "allgatherv");

  /** The first mismatch among what some rank has not completed. */
  static Optional<Mismatch> of(GroupWaits waits) {
    long over =
        waits.members().values().stream().mapToLong(GroupProgress::completed).min().orElse(0);
    NavigableMap<Long, NavigableMap<String, Set<Integer>>> byNumber = new TreeMap<>();
    waits
        .members()
        .forEach(
            (rank, progress) ->
                progress.operations().stream()
                    .filter(c -> c.sequence() > over && !c.pointToPoint())
                    .forEach(
                        c ->
                            byNumber
                                .computeIfAbsent(c.sequence(), _ -> new TreeMap<>())
                                .computeIfAbsent(call(c), _ -> new TreeSet<>())
                                .add(rank)));
    return byNumber.entrySet().stream()
        .filter(e -> e.getValue().size() > 1)
        .findFirst()
        .map(e -> new Mismatch(waits, e.getKey(), e.getValue()));
  }

  private static String call(Collective collective) {
    var name = collective.operation().toLowerCase(Locale.ROOT);
    boolean sized =
        SAME_SIZES.stream().anyMatch(name::contains) && UNEVEN.stream().noneMatch(name::contains);
    return sized && !collective.shape().isEmpty()
        ? collective.operation() + " of " + collective.shape()
        : collective.operation();
  }

  /** The ranks that are fewer; none when no call has more than half of the ranks. */
  List<Integer> minority() {
    int all = calls.values().stream().mapToInt(Set::size).sum();
    int most = calls.values().stream().mapToInt(Set::size).max().orElse(0);
    if (2 * most <= all) {
      return List.of();
    }
    List<Integer> few = new ArrayList<>();
    calls.values().stream().filter(ranks -> ranks.size() < most).forEach(few::addAll);
    few.sort(Comparator.naturalOrder());
    return few;
  }

  /** What a rank called. */
  String callOf(int rank) {
    return calls.entrySet().stream()
        .filter(e -> e.getValue().contains(rank))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse("nothing");
  }

  /** What most called. */
  String usual() {
    return calls.entrySet().stream()
        .max(Comparator.comparingInt(e -> e.getValue().size()))
        .map(Map.Entry::getKey)
        .orElse("");
  }
}
