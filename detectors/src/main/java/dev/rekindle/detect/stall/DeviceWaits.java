package dev.rekindle.detect.stall;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** What holds up a job of which all hosts have enqueued what others wait in. */
final class DeviceWaits {
  private DeviceWaits() {}

  /**
   * A group whose devices all stand in one collective, a pair that stands in a send and its
   * receive, or devices that wait for each other.
   *
   * @param departed the only rank that has left the order of its own calls
   * @param whole whether all ranks have a dump
   */
  static Optional<StallReport> report(
      WaitGraph graph,
      Collection<GroupWaits> stuck,
      Optional<Departed> departed,
      boolean whole,
      List<String> evidence) {
    List<String> all = new ArrayList<>(evidence);
    for (var waits : stuck) {
      long sequence = waits.sequence(waits.members().firstKey());
      all.add(
          "%s: the devices of all ranks stand in collective %d%s, and it does not end"
              .formatted(waits.group().label(), sequence, waits.operation(sequence)));
    }
    graph
        .stuckPairs()
        .forEach(
            (rank, peers) ->
                all.add(
                    "the devices of %s stand in one send and its receive, which do not end"
                        .formatted(StallAnalysis.ranks(withFirst(rank, peers)))));
    if (!stuck.isEmpty() || !graph.stuckPairs().isEmpty()) {
      return Optional.of(StallReport.between(ranks(graph, stuck), all));
    }
    var ranks = whole ? graph.inCircles() : List.<Integer>of();
    if (ranks.isEmpty()) {
      return Optional.empty();
    }
    all.add(
        "devices of %s wait for each other: calls differ in order"
            .formatted(StallAnalysis.ranks(ranks)));
    return Optional.of(
        departed
            .filter(d -> ranks.contains(d.rank()))
            .map(d -> d.report(Confidence.MEDIUM, all))
            .orElseGet(() -> new StallReport(List.of(), StallClass.PROGRAM, Confidence.LOW, all)));
  }

  /** All ranks that stand in what does not end. */
  static Set<Integer> ranks(WaitGraph graph, Collection<GroupWaits> stuck) {
    Set<Integer> ranks = new HashSet<>();
    stuck.forEach(waits -> ranks.addAll(waits.members().keySet()));
    graph
        .stuckPairs()
        .forEach(
            (rank, peers) -> {
              ranks.add(rank);
              ranks.addAll(peers);
            });
    return ranks;
  }

  private static NavigableSet<Integer> withFirst(int rank, NavigableSet<Integer> peers) {
    NavigableSet<Integer> all = new TreeSet<>(peers);
    all.add(rank);
    return all;
  }
}
