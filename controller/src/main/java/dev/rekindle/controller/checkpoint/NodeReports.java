package dev.rekindle.controller.checkpoint;

import dev.rekindle.controller.model.Inspection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Reports of inspectors on several nodes, read as one. Keeps the round that each recovery is in.
 */
public final class NodeReports {
  private final Map<String, ScanRounds> rounds = new ConcurrentHashMap<>();

  /**
   * What they say together; pending until each has reported.
   *
   * @param recovery namespace and name of the recovery
   * @param nodes which nodes are inspected
   * @param away nodes of the gang that are not
   * @param gpus GPUs of the gang; 0 where that is not known
   * @param ofNode what is known of one node
   */
  public Inspection read(
      String recovery,
      List<String> nodes,
      List<String> away,
      long gpus,
      Function<String, Inspection> ofNode) {
    Map<String, Inspection.Report> reports = new HashMap<>();
    for (String node : nodes) {
      switch (ofNode.apply(node)) {
        case Inspection.Report report -> reports.put(node, report);
        case Inspection.Pending(String detail) -> {
          return new Inspection.Pending("node %s: %s".formatted(node, detail));
        }
        case Inspection.Absent _, Inspection.Unable _ -> {
          return new Inspection.Pending("node %s: no report yet".formatted(node));
        }
      }
    }
    if (reports.isEmpty()) {
      return new Inspection.Absent();
    }
    Map<String, Long> scans = new HashMap<>();
    reports.forEach((node, report) -> scans.put(node, report.scan()));
    ScanRounds round =
        Objects.requireNonNull(
            rounds.compute(recovery, (_, former) -> ScanRounds.next(former, scans)));
    return NodeScans.merge(round.number(), reports, away, gpus);
  }

  /** Begins again: another inspector reports from now on, or none does. */
  public void forget(String recovery) {
    rounds.remove(recovery);
  }
}
