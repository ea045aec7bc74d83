package dev.rekindle.controller.placement.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Chooses a leaf group for each vacated seat: depth first, the most promising group first, without
 * what cannot lead to a better plan than the best one found. Hops are least always; what else
 * counts, in this order, is least wherever the search comes to its end within its steps: leaf
 * groups that are new to the gang, crossings in the ring of ranks, places taken from the largest
 * free block, levels to the survivors, and how badly groups fit.
 */
final class GroupSearch {
  /** A plan for eight seats takes a few thousand; a step takes about a microsecond. */
  static final int STEPS = 60_000;

  private static final int[] NONE = {};

  private final Ring ring;
  private final List<Group> groups;
  private final HopBudget budget;
  private final int largestElsewhere;
  private final int[] twins;
  private final int sum;
  private final int most;
  private final int[] used;
  private final int[] chosen;
  private final int[] leaves;
  private int steps;
  private int[] best = NONE;
  private long[] bestValue = {};

  /**
   * @param largestElsewhere places of the largest group that is not among these
   */
  GroupSearch(Ring ring, List<Group> groups, HopBudget budget, int largestElsewhere) {
    this.ring = ring;
    this.groups = groups;
    this.budget = budget;
    this.largestElsewhere = largestElsewhere;
    this.twins = twins();
    this.sum = budget.leastSum();
    this.most = budget.leastMost();
    this.used = new int[groups.size()];
    this.chosen = new int[ring.vacancies()];
    this.leaves = new int[ring.vacancies()];
  }

  /** By vacated seat, the number of its group. */
  int[] run() {
    descend(0, 0, new long[5]);
    if (best.length != chosen.length) {
      throw new IllegalStateException("places are too few for the vacated seats");
    }
    return best;
  }

  /** One way to continue. */
  private record Option(int group, int newGroups, int crossings, int fit) {}

  private static final Comparator<Option> LIKELY =
      Comparator.comparingInt(Option::newGroups)
          .thenComparingInt(Option::crossings)
          .thenComparingInt(Option::fit);

  /**
   * @param value of what is chosen so far: new groups, crossings, minus the largest free block,
   *     levels to survivors, places of the groups taken
   */
  private void descend(int v, int hops, long[] value) {
    if (v == chosen.length) {
      value[2] = -largestFree();
      if (best.length == 0 || Arrays.compare(value, bestValue) < 0) {
        best = chosen.clone();
        bestValue = value.clone();
      }
      return;
    }
    for (Option option : options(v)) {
      if (best.length > 0 && steps >= STEPS) {
        return;
      }
      steps++;
      int g = option.group();
      Group group = groups.get(g);
      int climbed = budget.hops(v, g);
      budget.place(v, g);
      if (hops + climbed + budget.leastSum() == sum && budget.leastMost() <= most) {
        long[] next = value.clone();
        next[0] += option.newGroups();
        next[1] += option.crossings();
        next[3] += group.nearness();
        next[4] += used[g] == 0 ? group.places() : 0;
        used[g]++;
        next[2] = -largestFree();
        chosen[v] = g;
        leaves[v] = group.leaf();
        if (mayBeBetter(next, chosen.length - v - 1)) {
          descend(v + 1, hops + climbed, next);
        }
        used[g]--;
      }
      budget.unplace(v, g);
    }
  }

  private List<Option> options(int v) {
    int left = chosen.length - v;
    List<Option> options = new ArrayList<>();
    for (int g = 0; g < groups.size(); g++) {
      Group group = groups.get(g);
      int free = group.places() - used[g];
      if (free > 0
          && budget.hops(v, g) <= most
          && !(used[g] == 0 && twins[g] >= 0 && used[twins[g]] == 0)) {
        int newGroup = used[g] == 0 && !group.inGang() ? 1 : 0;
        // One that takes all that are left, and as few more as can be; else the roomiest.
        int fit = free >= left ? free : Integer.MAX_VALUE - free;
        options.add(new Option(g, newGroup, ring.crossings(v, group.leaf(), leaves), fit));
      }
    }
    options.sort(LIKELY);
    return options;
  }

  /**
   * For each group the one before it that is like it in all that counts while both are empty; -1
   * where there is none. Of such a row the first empty one is tried only.
   */
  private int[] twins() {
    int[] twins = new int[groups.size()];
    for (int g = 0; g < twins.length; g++) {
      twins[g] = g - 1;
      while (twins[g] >= 0 && !alike(g, twins[g])) {
        twins[g]--;
      }
    }
    return twins;
  }

  private boolean alike(int one, int other) {
    Group group = groups.get(one);
    Group twin = groups.get(other);
    return !group.inGang()
        && !twin.inGang()
        && group.places() == twin.places()
        && group.nearness() == twin.nearness()
        && budget.levelOfVacancies(one) > 0
        && budget.alike(one, other);
  }

  private boolean mayBeBetter(long[] value, int left) {
    if (best.length == 0) {
      return true;
    }
    long[] bound = value.clone();
    bound[0] += atLeastNew(left);
    return Arrays.compare(bound, bestValue) < 0;
  }

  /** Groups that must be new, as those that are not have too few places. */
  private int atLeastNew(int left) {
    int missing = left;
    int roomiest = 1;
    for (int g = 0; g < groups.size(); g++) {
      Group group = groups.get(g);
      if (group.inGang() || used[g] > 0) {
        missing -= group.places() - used[g];
      } else {
        roomiest = Math.max(roomiest, group.places());
      }
    }
    return missing <= 0 ? 0 : Math.ceilDiv(missing, roomiest);
  }

  private int largestFree() {
    int free = largestElsewhere;
    for (int g = 0; g < used.length; g++) {
      free = Math.max(free, groups.get(g).places() - used[g]);
    }
    return free;
  }
}
