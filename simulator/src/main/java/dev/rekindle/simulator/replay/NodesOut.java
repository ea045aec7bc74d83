package dev.rekindle.simulator.replay;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Of each slice of the time of a trace the most nodes that were out at once. */
final class NodesOut {
  /**
   * Slices in a row with the same number.
   *
   * @param end the first slice after them
   */
  record Run(int end, int nodes) {}

  private final int[] out;

  private NodesOut(int slices) {
    out = new int[slices];
  }

  static NodesOut of(Plan plan, int slices) {
    SortedMap<Duration, Integer> turns = new TreeMap<>();
    for (Outage outage : plan.trace().outages()) {
      if (FaultKind.of(outage, plan.assumptions().unknown()).takesNode()) {
        turns.merge(outage.start(), 1, Integer::sum);
        turns.merge(outage.end(), -1, Integer::sum);
      }
    }
    NodesOut nodes = new NodesOut(slices);
    nodes.count(plan, turns);
    return nodes;
  }

  private void count(Plan plan, SortedMap<Duration, Integer> turns) {
    int from = 0;
    int now = 0;
    for (Map.Entry<Duration, Integer> turn : turns.entrySet()) {
      int at = (int) (plan.share(turn.getKey()) * out.length);
      if (at >= out.length) {
        break;
      }
      if (at > from) {
        Arrays.fill(out, from + 1, at + 1, now);
        from = at;
      }
      now += turn.getValue();
      out[at] = Math.max(out[at], now);
    }
    Arrays.fill(out, from + 1, out.length, now);
  }

  int most() {
    return Arrays.stream(out).max().orElse(0);
  }

  List<Run> runs() {
    List<Run> runs = new ArrayList<>();
    for (int i = 0; i < out.length; ) {
      int from = i;
      while (i < out.length && out[i] == out[from]) {
        i++;
      }
      runs.add(new Run(i, out[from]));
    }
    return runs;
  }
}
