package dev.rekindle.simulator.replay;

import dev.rekindle.cli.UsageException;
import io.soabase.recordbuilder.core.RecordBuilder;
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
 * @param options what the trace does not say
 * @param jobNodes nodes that the job uses, one rank on each
 * @param spares nodes beyond those
 * @param respond from the alert to a person at work
 * @param trace the faults, with the names of {@code nodes}
 * @param wall how long is replayed
 * @param nodes all nodes, by name
 */
@RecordBuilder
record Plan(
    String name,
    Options options,
    int jobNodes,
    int spares,
    Duration respond,
    Trace trace,
    Duration wall,
    List<String> nodes)
    implements PlanBuilder.With {
  /**
   * Fills the fleet up with nodes that never fail. The order is drawn from the seed, so that
   * neither good nor bad nodes come first.
   *
   * @throws UsageException when the trace has more nodes than the fleet
   */
  static Plan of(String name, Options options, int jobNodes, int spares, Trace trace, Duration wall)
      throws UsageException {
    List<Outage> begun =
        trace.outages().stream().filter(o -> o.start().compareTo(wall) < 0).toList();
    SortedSet<String> failing = trace.withOutages(begun).nodes();
    int fleet = jobNodes + spares;
    if (failing.size() > fleet) {
      throw new UsageException(
          "the trace has faults on %d nodes, the fleet is %d (--job-nodes %d and --spares %d)"
              .formatted(failing.size(), fleet, jobNodes, spares));
    }
    List<String> nodes = new ArrayList<>(failing);
    for (int i = 0; nodes.size() < fleet; i++) {
      String healthy = String.format(Locale.ROOT, "healthy-%05d", i);
      if (!failing.contains(healthy)) {
        nodes.add(healthy);
      }
    }
    Collections.shuffle(nodes, new Random(options.seed));
    Map<String, String> numbered = new LinkedHashMap<>();
    for (String node : nodes) {
      numbered.put(node, String.format(Locale.ROOT, "%05d-%s", numbered.size(), node));
    }
    Trace renamed =
        trace.withOutages(
            begun.stream()
                .map(o -> o.withNode(numbered.getOrDefault(o.node(), o.node())))
                .toList());
    List<String> names = List.copyOf(numbered.values());
    Duration respond = options.person.respond;
    return new Plan(name, options, jobNodes, spares, respond, renamed, wall, names);
  }

  int fleet() {
    return jobNodes + spares;
  }

  /** GPUs of the job. */
  long gpus() {
    return (long) jobNodes * options.gpusPerNode;
  }

  /** How long the operator takes to create all pods, one after the other. */
  Duration creation() {
    return Duration.ofMillis(jobNodes * 1000L / options.job.operatorRate);
  }

  /** From the first pod to the first step, for the slowest rank. */
  Duration restart() {
    return creation().plus(options.job.start).plus(options.job.load);
  }

  /** Which part of the time has passed by then, from 0. */
  double share(Duration at) {
    return wall.isZero() ? 0 : (double) at.toMillis() / wall.toMillis();
  }
}
