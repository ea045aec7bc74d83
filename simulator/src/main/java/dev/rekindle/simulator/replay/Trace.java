package dev.rekindle.simulator.replay;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/**
 * The faults of a fleet over time.
 *
 * @param outages by start, at most one at a time on a node
 * @param rows rows that were good
 * @param joined rows that began while the node was out already; they only prolong the time until it
 *     is good again
 * @param bad rows that were left out
 * @param troubles what is wrong with the first of those, with line numbers
 */
record Trace(List<Outage> outages, int rows, int joined, int bad, List<String> troubles) {
  /** A row of no length is a fault all the same. */
  private static final Duration SHORTEST = Duration.ofMinutes(1);

  private static final Comparator<Outage> ORDER =
      Comparator.comparing(Outage::start).thenComparing(Outage::node).thenComparing(Outage::end);

  Trace {
    outages = List.copyOf(outages);
    troubles = List.copyOf(troubles);
  }

  /** Puts rows in order and joins those of one node that overlap. */
  static Trace of(List<Outage> rows, int bad, List<String> troubles) {
    List<Outage> joined = new ArrayList<>();
    Map<String, Integer> last = new HashMap<>();
    for (Outage row : rows.stream().map(Trace::visible).sorted(ORDER).toList()) {
      Integer index = last.get(row.node());
      Outage open = index == null ? null : joined.get(index);
      if (index != null && open != null && row.start().compareTo(open.end()) < 0) {
        joined.set(index, open.withEnd(Durations.longer(row.end(), open.end())));
      } else {
        last.put(row.node(), joined.size());
        joined.add(row);
      }
    }
    return new Trace(joined, rows.size(), rows.size() - joined.size(), bad, troubles);
  }

  private static Outage visible(Outage row) {
    return row.withEnd(Durations.longer(row.end(), row.start().plus(SHORTEST)));
  }

  /** The same trace cut off after a time: what began later is gone. */
  Trace until(Duration end) {
    List<Outage> early =
        outages.stream().filter(outage -> outage.start().compareTo(end) < 0).toList();
    return new Trace(early, rows, joined, bad, troubles);
  }

  /** The same trace on other nodes. */
  Trace renamed(UnaryOperator<String> name) {
    List<Outage> others =
        outages.stream().map(outage -> outage.withNode(name.apply(outage.node()))).toList();
    return new Trace(others, rows, joined, bad, troubles);
  }

  SortedSet<String> nodes() {
    TreeSet<String> nodes = new TreeSet<>();
    outages.forEach(outage -> nodes.add(outage.node()));
    return nodes;
  }

  /** When the last fault is over. */
  Duration length() {
    return outages.stream().map(Outage::end).max(Comparator.naturalOrder()).orElse(Duration.ZERO);
  }
}
