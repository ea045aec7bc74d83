package dev.rekindle.page;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Every node that has a fault or was in a recovery, and what recoveries were due to.
 *
 * @param nodes those with standing faults first, then by recoveries
 * @param causes recoveries by cause
 */
public record FleetPage(List<NodeRow> nodes, Map<String, Long> causes) {
  public FleetPage {
    nodes = List.copyOf(nodes);
    causes = Map.copyOf(causes);
  }

  /**
   * A node.
   *
   * @param node its name
   * @param active codes of faults that stand
   * @param faults faults that it ever had, as far as objects are kept
   * @param recoveries recoveries that were about it
   */
  public record NodeRow(String node, List<String> active, int faults, int recoveries) {
    public NodeRow {
      active = List.copyOf(active);
    }
  }

  /** The fleet of these faults and recoveries. */
  public static FleetPage of(List<FaultRow> faults, List<RecoveryRow> recoveries) {
    Map<String, List<FaultRow>> byNode =
        faults.stream()
            .collect(Collectors.groupingBy(FaultRow::node, TreeMap::new, Collectors.toList()));
    Map<String, Integer> times = new TreeMap<>();
    recoveries.forEach(r -> r.nodes().forEach(n -> times.merge(n, 1, Integer::sum)));
    times.keySet().forEach(node -> byNode.putIfAbsent(node, List.of()));
    List<NodeRow> nodes =
        byNode.entrySet().stream()
            .map(
                entry ->
                    new NodeRow(
                        entry.getKey(),
                        entry.getValue().stream()
                            .filter(FaultRow::active)
                            .map(FaultRow::code)
                            .distinct()
                            .toList(),
                        entry.getValue().size(),
                        times.getOrDefault(entry.getKey(), 0)))
            .sorted(
                Comparator.comparing((NodeRow n) -> n.active().isEmpty())
                    .thenComparing(NodeRow::recoveries, Comparator.reverseOrder())
                    .thenComparing(NodeRow::node))
            .toList();
    return new FleetPage(
        nodes,
        recoveries.stream()
            .filter(r -> !r.reason().isEmpty())
            .collect(Collectors.groupingBy(RecoveryRow::reason, Collectors.counting())));
  }

  List<Map.Entry<String, Long>> causesByNumber() {
    Function<Map.Entry<String, Long>, Long> number = Map.Entry::getValue;
    return causes.entrySet().stream()
        .sorted(Comparator.comparing(number).reversed().thenComparing(Map.Entry::getKey))
        .toList();
  }
}
