package dev.rekindle.simulator.replay;

import static java.util.stream.Collectors.toCollection;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The faults of a fleet over time.
 *
 * @param outages by start, at most one at a time on a node
 * @param rows rows that were good
 * @param joined rows that began while the node was out already; they only prolong the time until it
 *     is good again
 * @param bad rows that were left out
 * @param problems what is wrong with the first of those, with line numbers
 */
@RecordBuilder
record Trace(List<Outage> outages, int rows, int joined, int bad, List<String> problems)
    implements TraceBuilder.With {
  /** A row of no length is a fault all the same. */
  private static final Duration SHORTEST = Duration.ofMinutes(1);

  private static final Comparator<Outage> ORDER =
      Comparator.comparing(Outage::start).thenComparing(Outage::node).thenComparing(Outage::end);

  /** Puts rows in order and joins those of one node that overlap. */
  static Trace of(List<Outage> rows, int bad, List<String> problems) {
    List<Outage> joined = new ArrayList<>();
    Map<String, Integer> last = new HashMap<>();
    for (Outage row :
        rows.stream().map(r -> r.until(r.start().plus(SHORTEST))).sorted(ORDER).toList()) {
      Integer index = last.get(row.node());
      if (index != null && row.start().compareTo(joined.get(index).end()) < 0) {
        joined.set(index, joined.get(index).until(row.end()));
      } else {
        last.put(row.node(), joined.size());
        joined.add(row);
      }
    }
    int good = rows.size();
    return new Trace(List.copyOf(joined), good, good - joined.size(), bad, List.copyOf(problems));
  }

  SortedSet<String> nodes() {
    return outages.stream().map(Outage::node).collect(toCollection(TreeSet::new));
  }

  /** When the last fault is over. */
  Duration length() {
    return outages.stream().map(Outage::end).reduce(Duration.ZERO, Durations::longer);
  }
}
