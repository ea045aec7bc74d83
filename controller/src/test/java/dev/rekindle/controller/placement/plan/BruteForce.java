package dev.rekindle.controller.placement.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The best plan by trying every leaf group for every vacated seat. It shares no code with the
 * planner but the tree. What is worse than the best so far in what can only grow is left out.
 */
final class BruteForce {
  private final RandomTree tree;
  private final List<Seat> gang;
  private final List<Integer> vacated = new ArrayList<>();
  private final Map<Integer, Integer> free = new TreeMap<>();
  private final Map<Integer, String> nodeOf = new HashMap<>();
  private final int[] leaves;
  private int[] best = {};

  private BruteForce(RandomTree tree) {
    this.tree = tree;
    this.gang = tree.gang();
    this.leaves = new int[gang.size()];
    for (int i = 0; i < gang.size(); i++) {
      if (gang.get(i).vacated()) {
        vacated.add(i);
        leaves[i] = -1;
      } else {
        leaves[i] = leaf(gang.get(i).node());
      }
    }
    for (Candidate node : tree.free()) {
      free.merge(leaf(node.node()), node.places(), Integer::sum);
      nodeOf.put(leaf(node.node()), node.node());
    }
  }

  private int leaf(String node) {
    return tree.fabric().path(node)[0];
  }

  /** Most hops, sum of hops, leaf groups, crossings, minus the largest free block. */
  static int[] best(RandomTree tree) {
    BruteForce search = new BruteForce(tree);
    search.descend(0, 0, 0);
    return search.best;
  }

  private void descend(int v, int most, int sum) {
    int[] value = value(most, sum);
    if (best.length > 0 && Arrays.compare(value, best) >= 0) {
      return;
    }
    if (v == vacated.size()) {
      best = value;
      return;
    }
    int seat = vacated.get(v);
    for (int leaf : new ArrayList<>(free.keySet())) {
      int left = free.getOrDefault(leaf, 0);
      if (left > 0) {
        int hops = tree.fabric().distance(gang.get(seat).node(), nodeOf.getOrDefault(leaf, ""));
        free.put(leaf, left - 1);
        leaves[seat] = leaf;
        descend(v + 1, Math.max(most, hops), sum + hops);
        leaves[seat] = -1;
        free.put(leaf, left);
      }
    }
  }

  private int[] value(int most, int sum) {
    Set<Integer> groups = new HashSet<>();
    int crossings = 0;
    for (int i = 0; i < leaves.length; i++) {
      int next = leaves[(i + 1) % leaves.length];
      if (leaves[i] >= 0) {
        groups.add(leaves[i]);
        crossings += next >= 0 && next != leaves[i] ? 1 : 0;
      }
    }
    int block = free.values().stream().mapToInt(Integer::intValue).max().orElse(0);
    return new int[] {most, sum, groups.size(), crossings, -block};
  }
}
