package dev.rekindle.detect.stall;

import dev.rekindle.detect.flightrecorder.GroupProgress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
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
                                .computeIfAbsent(c.call(), _ -> new TreeSet<>())
                                .add(rank)));
    return byNumber.entrySet().stream()
        .filter(e -> e.getValue().size() > 1)
        .findFirst()
        .map(e -> new Mismatch(waits, e.getKey(), e.getValue()));
  }

  /**
   * Who is named for it: the ranks that are fewer, or the only one that has left its own order.
   *
   * @param departed that one, where there is one
   */
  StallReport report(Optional<Departed> departed) {
    List<String> evidence = new ArrayList<>();
    calls.forEach(
        (call, ranks) ->
            evidence.add(
                "%s, number %d: %s by %s"
                    .formatted(waits.group().label(), sequence, call, StallAnalysis.ranks(ranks))));
    var few = minority();
    var alone = departed.filter(d -> has(d.rank()));
    if (alone.isPresent() && (few.isEmpty() || few.contains(alone.get().rank()))) {
      return alone.get().report(few.size() == 1 ? Confidence.HIGH : Confidence.MEDIUM, evidence);
    }
    if (alone.isPresent()) {
      evidence.add("witnesses disagree: " + alone.get().evidence());
      return new StallReport(List.of(), StallClass.PROGRAM, Confidence.LOW, evidence);
    }
    return new StallReport(
        few.stream().map(this::culprit).toList(),
        StallClass.PROGRAM,
        few.isEmpty() ? Confidence.LOW : Confidence.HIGH,
        evidence);
  }

  private Culprit culprit(int rank) {
    return new Culprit(
        rank,
        "called %s where most ranks of %s called %s"
            .formatted(callOf(rank), waits.group().label(), usual()));
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

  private boolean has(int rank) {
    return calls.values().stream().anyMatch(ranks -> ranks.contains(rank));
  }

  private String callOf(int rank) {
    return calls.entrySet().stream()
        .filter(e -> e.getValue().contains(rank))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse("nothing");
  }

  private String usual() {
    return calls.entrySet().stream()
        .max(Comparator.comparingInt(e -> e.getValue().size()))
        .map(Map.Entry::getKey)
        .orElse("");
  }
}
