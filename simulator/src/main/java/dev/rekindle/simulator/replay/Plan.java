package dev.rekindle.simulator.replay;

import dev.rekindle.cli.UsageException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.SortedSet;

/**
 * What is to be replayed.
 *
 * @param name what the trace is called
 * @param assumptions what it does not say
 * @param trace the faults, with the names of {@code nodes}
 * @param wall how long is replayed
 * @param nodes all nodes, by name
 */
record Plan(String name, Assumptions assumptions, Trace trace, Duration wall, List<String> nodes) {
  Plan {
    nodes = List.copyOf(nodes);
  }

  /**
   * Fills the fleet up with nodes that never fail. The order is drawn from the seed, so that
   * neither good nor bad nodes come first.
   *
   * @throws UsageException when the trace has more nodes than the fleet
   */
  static Plan of(String name, Assumptions assumptions, Trace trace, Duration wall)
      throws UsageException {
    Trace cut = trace.until(wall);
    SortedSet<String> failing = cut.nodes();
    if (failing.size() > assumptions.fleet()) {
      throw new UsageException(
          "the trace has faults on %d nodes, the fleet is %d (--job-nodes %d and --spares %d)"
              .formatted(
                  failing.size(),
                  assumptions.fleet(),
                  assumptions.jobNodes(),
                  assumptions.spares()));
    }
    List<String> nodes = new ArrayList<>(failing);
    for (int i = 0; nodes.size() < assumptions.fleet(); i++) {
      String healthy = String.format(Locale.ROOT, "healthy-%05d", i);
      if (!failing.contains(healthy)) {
        nodes.add(healthy);
      }
    }
    Collections.shuffle(nodes, new Random(assumptions.seed()));
    Map<String, String> numbered = new LinkedHashMap<>();
    for (String node : nodes) {
      numbered.put(node, String.format(Locale.ROOT, "%05d-%s", numbered.size(), node));
    }
    Trace renamed = cut.renamed(node -> numbered.getOrDefault(node, node));
    return new Plan(name, assumptions, renamed, wall, List.copyOf(numbered.values()));
  }

  /** Which part of the time has passed by then, from 0. */
  double share(Duration at) {
    return wall.isZero() ? 0 : (double) at.toMillis() / wall.toMillis();
  }

  /** The same for a person who responds in another time. */
  Plan responding(Duration time) {
    return new Plan(name, assumptions.withRespond(time), trace, wall, nodes);
  }
}
