package dev.rekindle.controller.placement;

import dev.rekindle.controller.model.NodeView;
import dev.rekindle.detect.node.Shortfall;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Says for people what is missing for a gang to be placed. */
final class CapacityShortage {
  private static final int MOST_REASONS = 4;
  private static final int MOST_NODES = 3;

  private CapacityShortage() {}

  /** What the gang needs, what is free, and why the rest is not. */
  static String describe(
      Map<PodSize, Integer> podsBySize,
      List<OccupiedNode> rooms,
      Collection<NodeView> nodes,
      Collection<String> excluded) {
    boolean ofGpus = podsBySize.keySet().stream().anyMatch(size -> size.gpus() > 0);
    List<NodeView> counted =
        ofGpus ? nodes.stream().filter(NodeView::hasGpus).toList() : List.copyOf(nodes);
    List<Long> free =
        rooms.stream().map(r -> r.node().gpus() - r.gpus()).filter(f -> f > 0).toList();
    long total = free.stream().mapToLong(Long::longValue).sum();
    long most = free.stream().mapToLong(Long::longValue).max().orElse(0);
    return "%s; free: %s on %s%s%s"
        .formatted(
            needed(podsBySize),
            count(total, "GPU"),
            count(free.size(), "node"),
            free.size() > 1 ? ", at most %d on one".formatted(most) : "",
            leftOut(counted, excluded) + unfit(podsBySize.keySet(), rooms) + heldBack(rooms));
  }

  /**
   * Of what stands in the way beside GPUs, the most frequent. Of each node what keeps those pods
   * off that it is meant for, where it is meant for any.
   */
  private static String unfit(Collection<PodSize> sizes, List<OccupiedNode> rooms) {
    Map<String, Long> counts = new TreeMap<>();
    for (OccupiedNode room : rooms) {
      sizes.stream()
          .sorted(Comparator.comparing(size -> !size.isMeantFor(room.node())))
          .map(size -> why(room, size))
          .filter(why -> !why.isEmpty() && !why.startsWith("short of GPUs"))
          .findFirst()
          .ifPresent(why -> counts.merge(why.replaceFirst(":.*", ""), 1L, Long::sum));
    }
    return counts.isEmpty()
        ? ""
        : counts.entrySet().stream()
            .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
            .limit(MOST_REASONS)
            .map(e -> e.getValue() + " " + e.getKey())
            .collect(Collectors.joining(", ", "; do not fit: ", ""));
  }

  private static String why(OccupiedNode room, PodSize size) {
    String off = NodeFit.keptOff(room.node(), size.replica());
    if (!off.isEmpty() || room.places(size, 0, size) > 0) {
      return off;
    }
    String addresses = size.rails().keptOff(room.node());
    return addresses.isEmpty()
        ? NodeFit.shortOf(
            room.node(), size.replica(), room.gpus(), room.held(), size.rails()::title)
        : addresses;
  }

  /** A device plugin that holds GPUs back makes a node appear smaller than it is. */
  private static String heldBack(List<OccupiedNode> rooms) {
    long gpus = 0;
    List<String> where = new ArrayList<>();
    List<String> away = new ArrayList<>();
    for (OccupiedNode room : rooms) {
      NodeView node = room.node();
      long here =
          node.signs().shortfalls().stream()
              .filter(s -> s.resource().endsWith("/gpu"))
              .mapToLong(Shortfall::missing)
              .sum();
      if (here > 0) {
        gpus += here;
        where.add(node.name());
      } else if (node.gpus() == 0
          && node.signs().shortfalls().stream().anyMatch(CapacityShortage::gone)) {
        away.add(node.name());
      }
    }
    return (gpus == 0
            ? ""
            : "; held back by device plugins: %s on %s".formatted(count(gpus, "GPU"), few(where)))
        + (away.isEmpty() ? "" : "; no device plugin: " + few(away));
  }

  private static boolean gone(Shortfall shortfall) {
    return shortfall.forgotten() && shortfall.resource().endsWith("/gpu");
  }

  private static String few(List<String> nodes) {
    return nodes.stream().sorted().limit(MOST_NODES).collect(Collectors.joining(", "))
        + (nodes.size() > MOST_NODES ? ", ..." : "");
  }

  private static String needed(Map<PodSize, Integer> podsBySize) {
    NavigableMap<Long, Integer> byGpus = new TreeMap<>();
    podsBySize.forEach((size, pods) -> byGpus.merge(size.gpus(), pods, Integer::sum));
    if (byGpus.lastKey() > 0) {
      byGpus.remove(0L);
    }
    return byGpus.descendingMap().entrySet().stream()
        .map(
            e ->
                e.getKey() == 0
                    ? count(e.getValue(), "pod")
                    : "%s with %s".formatted(count(e.getValue(), "pod"), count(e.getKey(), "GPU")))
        .collect(Collectors.joining(" and ", "needed: ", ""));
  }

  private static String count(long number, String what) {
    return number == 1 ? "1 " + what : number + " " + what + "s";
  }

  /** The nearest misses: what a person could give back. */
  static String leftOut(Collection<NodeView> nodes, Collection<String> excluded) {
    Map<String, Long> counts =
        nodes.stream()
            .map(n -> NodeFit.closed(n, excluded))
            .filter(why -> !why.isEmpty())
            .collect(
                Collectors.groupingBy(Function.identity(), TreeMap::new, Collectors.counting()));
    List<String> parts = new ArrayList<>();
    counts.forEach((why, count) -> parts.add(count + " " + why));
    return parts.isEmpty() ? "" : "; left out: " + String.join(", ", parts);
  }
}
