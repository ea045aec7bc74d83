package dev.rekindle.controller.placement.plan;

import dev.rekindle.controller.placement.topology.Fabric;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What Kueue's topology-aware scheduling would choose, by its description, where a job prefers the
 * lowest level: for one failed node a place by best fit on the whole tree, without regard to where
 * the survivors are; for more than one the whole gang is evicted and placed again, by best fit.
 * Nothing of Kueue is run here.
 */
final class KueueComparison {
  private KueueComparison() {}

  /** Compares on so many trees of the property test. */
  static void print(int trees) {
    int ones = 0;
    int farther = 0;
    int hops = 0;
    int kueueHops = 0;
    int more = 0;
    int moved = 0;
    int kueueMoved = 0;
    int groups = 0;
    int kueueGroups = 0;
    for (long seed = 0; seed < trees; seed++) {
      RandomTree tree = RandomTree.of(seed, 8);
      GangPlan plan = GangPlanner.plan(tree.fabric(), tree.gang(), tree.free()).orElseThrow();
      if (plan.moves().size() == 1) {
        String chosen = place(tree.fabric(), names(tree.free()), 1).getFirst();
        int far = tree.fabric().distance(plan.moves().getFirst().from(), chosen);
        ones++;
        hops += plan.sumHops();
        kueueHops += far;
        farther += far > plan.sumHops() ? 1 : 0;
      } else {
        List<String> nodes = new ArrayList<>(names(tree.free()));
        tree.gang().stream().filter(s -> !s.vacated()).map(Seat::node).forEach(nodes::add);
        more++;
        moved += plan.moves().size();
        kueueMoved += tree.gang().size();
        groups += plan.leafGroups();
        kueueGroups +=
            (int)
                place(tree.fabric(), nodes, tree.gang().size()).stream()
                    .map(n -> tree.fabric().path(n)[0])
                    .distinct()
                    .count();
      }
    }
    System.out.printf(
        "one node lost, %d trees: hops %.2f, Kueue %.2f; Kueue goes farther in %.1f %%%n",
        ones, (double) hops / ones, (double) kueueHops / ones, 100.0 * farther / ones);
    System.out.printf(
        "two to eight lost, %d trees: pods moved %.1f, Kueue %.1f; leaf groups %.2f, Kueue %.2f%n",
        more,
        (double) moved / more,
        (double) kueueMoved / more,
        (double) groups / more,
        (double) kueueGroups / more);
  }

  private static List<String> names(List<Candidate> candidates) {
    return candidates.stream().map(Candidate::node).sorted().toList();
  }

  /** The lowest level at which one group takes all pods; in it, as few groups as greed finds. */
  private static List<String> place(Fabric fabric, List<String> nodes, int pods) {
    for (int level = 0; level < fabric.height(); level++) {
      List<String> best =
          split(fabric, nodes, level).stream()
              .filter(group -> group.size() >= pods)
              .min(Comparator.<List<String>>comparingInt(List::size).thenComparing(List::getFirst))
              .orElse(List.of());
      if (!best.isEmpty()) {
        return within(fabric, best, level - 1, pods);
      }
    }
    return within(fabric, nodes, fabric.height() - 1, pods);
  }

  /** The largest groups first; the last one is the smallest that takes the rest. */
  private static List<String> within(Fabric fabric, List<String> nodes, int level, int pods) {
    if (level < 0) {
      return nodes.subList(0, pods);
    }
    List<List<String>> groups = new ArrayList<>(split(fabric, nodes, level));
    groups.sort(
        Comparator.<List<String>>comparingInt(g -> -g.size()).thenComparing(List::getFirst));
    List<String> placed = new ArrayList<>();
    while (placed.size() < pods) {
      int left = pods - placed.size();
      List<String> next =
          groups.stream()
              .filter(g -> g.size() >= left)
              .min(Comparator.comparingInt(List::size))
              .orElse(groups.getFirst());
      groups.remove(next);
      placed.addAll(within(fabric, next, level - 1, Math.min(left, next.size())));
    }
    return placed;
  }

  private static Collection<List<String>> split(Fabric fabric, List<String> nodes, int level) {
    Map<Integer, List<String>> groups = new LinkedHashMap<>();
    nodes.forEach(
        n -> groups.computeIfAbsent(fabric.path(n)[level], _ -> new ArrayList<>()).add(n));
    return groups.values();
  }
}
