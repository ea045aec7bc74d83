package dev.rekindle.controller.placement;

import dev.rekindle.controller.model.JobView.Replica;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.detect.node.NodeOwner;
import dev.rekindle.detect.node.Shortfall;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Room for a whole gang at once. An upper bound, so that nothing is held that the scheduler could
 * place: only GPUs count, and of what occupies them only the pods of training jobs that the
 * controller watches. The scheduler has the last word.
 */
public final class CapacityCheck {
  private CapacityCheck() {}

  /**
   * What is missing for the gang to be placed, in words for people; empty when it may fit.
   *
   * @param gang its replica types; the operator knows two
   * @param nodes all nodes
   * @param excluded nodes that it must keep off
   * @param taken GPUs that others hold, by node
   */
  public static Optional<String> missing(
      List<Replica> gang,
      Collection<NodeView> nodes,
      Collection<String> excluded,
      Map<String, Long> taken) {
    List<NodeView> eligible = Placement.eligible(nodes, excluded);
    NavigableMap<Long, Integer> podsBySize = new TreeMap<>();
    gang.stream()
        .filter(r -> r.gpus() > 0 && r.count() > 0)
        .forEach(r -> podsBySize.merge(r.gpus(), r.count(), Integer::sum));
    if (podsBySize.isEmpty()) {
      return eligible.isEmpty()
          ? Optional.of("no node is Ready, schedulable and not excluded" + leftOut(nodes, excluded))
          : Optional.empty();
    }
    List<Long> free =
        eligible.stream()
            .map(n -> n.gpus() - taken.getOrDefault(n.name(), 0L))
            .filter(f -> f > 0)
            .toList();
    if (fits(podsBySize, free)) {
      return Optional.empty();
    }
    List<NodeView> withGpus = nodes.stream().filter(n -> n.gpus() > 0).toList();
    long total = free.stream().mapToLong(Long::longValue).sum();
    long most = free.stream().mapToLong(Long::longValue).max().orElse(0);
    return Optional.of(
        "%s; free: %s on %s%s%s"
            .formatted(
                needed(podsBySize),
                count(total, "GPU"),
                count(free.size(), "node"),
                free.size() > 1 ? ", at most %d on one".formatted(most) : "",
                leftOut(withGpus, excluded) + heldBack(eligible)));
  }

  /** A device plugin that holds GPUs back makes a node look smaller than it is. */
  private static String heldBack(List<NodeView> eligible) {
    long gpus = 0;
    List<String> where = new ArrayList<>();
    for (NodeView node : eligible) {
      long here =
          node.signs().shortfalls().stream()
              .filter(s -> s.resource().endsWith("/gpu"))
              .mapToLong(Shortfall::missing)
              .sum();
      if (here > 0) {
        gpus += here;
        where.add(node.name());
      }
    }
    where.sort(null);
    String nodes = String.join(", ", where.subList(0, Math.min(3, where.size())));
    return gpus == 0
        ? ""
        : "; held back by device plugins: %s on %s%s"
            .formatted(count(gpus, "GPU"), nodes, where.size() > 3 ? ", ..." : "");
  }

  private static String needed(NavigableMap<Long, Integer> podsBySize) {
    return podsBySize.descendingMap().entrySet().stream()
        .map(e -> "%s with %s".formatted(count(e.getValue(), "pod"), count(e.getKey(), "GPU")))
        .collect(Collectors.joining(" and ", "needed: ", ""));
  }

  private static String count(long number, String what) {
    return number == 1 ? "1 " + what : number + " " + what + "s";
  }

  /** The nearest misses: what a person could give back. */
  private static String leftOut(Collection<NodeView> nodes, Collection<String> excluded) {
    Map<String, Long> counts =
        nodes.stream()
            .map(n -> why(n, excluded))
            .filter(why -> !why.isEmpty())
            .collect(
                Collectors.groupingBy(Function.identity(), TreeMap::new, Collectors.counting()));
    List<String> parts = new ArrayList<>();
    counts.forEach((why, count) -> parts.add(count + " " + why));
    return parts.isEmpty() ? "" : "; left out: " + String.join(", ", parts);
  }

  private static String why(NodeView node, Collection<String> excluded) {
    if (node.fencedByUs()) {
      return "fenced";
    }
    NodeOwner owner = node.owner();
    if (owner != null && node.leftToOthers()) {
      return "left to " + owner.who();
    }
    if (node.unschedulable()) {
      return "cordoned";
    }
    return switch (node.readiness()) {
      case SILENT -> "silent";
      case NOT_READY -> "not Ready";
      case READY -> excluded.contains(node.name()) ? "excluded" : "";
    };
  }

  /**
   * Whether pods of at most two sizes fit. For each number of the rarer ones: how many of the
   * others fit beside them at best on the nodes looked at so far.
   */
  private static boolean fits(Map<Long, Integer> podsBySize, List<Long> free) {
    List<Map.Entry<Long, Integer>> sizes =
        podsBySize.entrySet().stream().sorted(Map.Entry.comparingByValue()).toList();
    Map.Entry<Long, Integer> often = sizes.getLast();
    int rare = sizes.size() == 1 ? 0 : sizes.getFirst().getValue();
    long rareSize = sizes.getFirst().getKey();
    long[] best = new long[rare + 1];
    Arrays.fill(best, -1);
    best[0] = 0;
    for (long gpus : free) {
      for (int placed = rare; placed >= 0; placed--) {
        long most = -1;
        for (int here = 0; here <= placed && here * rareSize <= gpus; here++) {
          if (best[placed - here] >= 0) {
            most = Math.max(most, best[placed - here] + (gpus - here * rareSize) / often.getKey());
          }
        }
        best[placed] = most;
      }
    }
    return best[rare] >= often.getValue();
  }
}
