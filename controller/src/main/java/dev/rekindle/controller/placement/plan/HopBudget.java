package dev.rekindle.controller.placement.plan;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The fewest hops that the seats not yet placed can do with, kept up while seats are placed.
 *
 * <p>Distances on a tree are levels to climb. Within any group of any level as many seats can stay
 * as it has vacated seats and places, whichever is fewer, and serving the nearest level first
 * reaches that in all groups at once. So the least sum and the least maximum follow from counts.
 */
final class HopBudget {
  private final int height;

  /** By level and slot: vacated seats and places of a group that has vacated seats. */
  private final int[][] seats;

  private final int[][] places;
  private final int[][] homeSlots;
  private final int[][] groupSlots;
  private int open;

  HopBudget(int height, int[][] homes, List<Group> groups) {
    this.height = height;
    this.open = homes.length;
    this.homeSlots = new int[homes.length][height];
    this.groupSlots = new int[groups.size()][height];
    this.seats = new int[height][];
    this.places = new int[height][];
    for (int level = 0; level < height; level++) {
      Map<Integer, Integer> slots = new HashMap<>();
      for (int v = 0; v < homes.length; v++) {
        homeSlots[v][level] = slots.computeIfAbsent(homes[v][level], _ -> slots.size());
      }
      seats[level] = new int[slots.size()];
      places[level] = new int[slots.size()];
      for (int v = 0; v < homes.length; v++) {
        seats[level][homeSlots[v][level]]++;
      }
      for (int g = 0; g < groups.size(); g++) {
        int slot = slots.getOrDefault(groups.get(g).path()[level], -1);
        groupSlots[g][level] = slot;
        if (slot >= 0) {
          places[level][slot] += groups.get(g).places();
        }
      }
    }
  }

  /** Takes a seat and a place out of the counts. */
  void place(int v, int group) {
    move(v, group, -1);
    open--;
  }

  /** Puts them back. */
  void unplace(int v, int group) {
    move(v, group, 1);
    open++;
  }

  private void move(int v, int group, int by) {
    for (int level = 0; level < height; level++) {
      seats[level][homeSlots[v][level]] += by;
      if (groupSlots[group][level] >= 0) {
        places[level][groupSlots[group][level]] += by;
      }
    }
  }

  /** Levels that the seat climbs to a place of the group. */
  int hops(int v, int group) {
    int level = 0;
    while (level < height && homeSlots[v][level] != groupSlots[group][level]) {
      level++;
    }
    return level;
  }

  /** The least sum of hops of all seats that are open, given that there are places enough. */
  int leastSum() {
    int sum = 0;
    for (int level = 0; level < height; level++) {
      sum += open - staying(level);
    }
    return sum;
  }

  /** The least number of hops of the one that goes farthest. */
  int leastMost() {
    for (int level = 0; level < height; level++) {
      if (staying(level) == open) {
        return level;
      }
    }
    return height;
  }

  private int staying(int level) {
    int staying = 0;
    for (int slot = 0; slot < seats[level].length; slot++) {
      staying += Math.min(seats[level][slot], places[level][slot]);
    }
    return staying;
  }

  /** The lowest level at which a vacated seat is in a group with this one; the height for none. */
  int levelOfVacancies(int group) {
    int level = 0;
    while (level < height && groupSlots[group][level] < 0) {
      level++;
    }
    return level;
  }

  /** Whether the two are in the same groups of the levels at which vacated seats are. */
  boolean alike(int one, int other) {
    for (int level = 0; level < height; level++) {
      if (groupSlots[one][level] != groupSlots[other][level]) {
        return false;
      }
    }
    return true;
  }
}
