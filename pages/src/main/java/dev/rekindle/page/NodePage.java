package dev.rekindle.page;

import java.util.Comparator;
import java.util.List;

/**
 * One node: its faults and the recoveries that are about it.
 *
 * @param node its name
 * @param faults those that stand first
 * @param recoveries newest first
 */
public record NodePage(String node, List<FaultRow> faults, List<RecoveryRow> recoveries) {
  public NodePage {
    faults =
        faults.stream()
            .filter(f -> f.node().equals(node))
            .sorted(Comparator.comparing(f -> !f.active()))
            .toList();
    recoveries =
        recoveries.stream().filter(r -> r.nodes().contains(node)).sorted(ListPage.ORDER).toList();
  }

  long active() {
    return faults.stream().filter(FaultRow::active).count();
  }
}
