package dev.rekindle.controller.placement.plan;

import dev.rekindle.controller.placement.topology.Fabric;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The gang in the order of ranks, first and last being neighbours too: collectives pass data along
 * rings. Seats are numbered; vacated ones are numbered among themselves as well.
 */
final class Ring {
  /** Numbers below those of any group: of places that are not known. */
  private static final int UNKNOWN = -2;

  /** Of a seat that is not placed yet. */
  private static final int OPEN = Integer.MIN_VALUE;

  private final List<Seat> seats;
  private final int[] leaves;
  private final int[] vacated;
  private final int[][] homes;
  private final List<int[]> survivors = new ArrayList<>();

  Ring(Fabric fabric, List<Seat> seats) {
    this.seats = seats;
    this.leaves = new int[seats.size()];
    int[] gone = new int[seats.size()];
    int count = 0;
    for (int i = 0; i < seats.size(); i++) {
      Seat seat = seats.get(i);
      leaves[i] = UNKNOWN - i;
      if (seat.vacated()) {
        gone[count++] = i;
      } else if (fabric.has(seat.node())) {
        leaves[i] = fabric.path(seat.node())[0];
        survivors.add(fabric.path(seat.node()));
      }
    }
    this.vacated = Arrays.copyOf(gone, count);
    this.homes = new int[count][];
    for (int v = 0; v < count; v++) {
      homes[v] = home(fabric, vacated[v]);
    }
  }

  /** Where the pod was; where its Node is gone, where the survivor next to it in rank is. */
  private int[] home(Fabric fabric, int seat) {
    for (int away = 0; away < seats.size(); away++) {
      for (int i : new int[] {seat - away, seat + away}) {
        if (i >= 0 && i < seats.size() && (i == seat || !seats.get(i).vacated())) {
          String node = seats.get(i).node();
          if (fabric.has(node)) {
            return fabric.path(node);
          }
        }
      }
    }
    int[] nowhere = new int[fabric.height()];
    Arrays.fill(nowhere, UNKNOWN - seat);
    return nowhere;
  }

  /** Number of vacated seats. */
  int vacancies() {
    return vacated.length;
  }

  Seat vacatedSeat(int v) {
    return seats.get(vacated[v]);
  }

  /** The path from which the pod of a vacated seat comes. */
  int[] home(int v) {
    return homes[v];
  }

  /** Paths of the survivors' nodes, as far as they are known. */
  List<int[]> survivors() {
    return survivors;
  }

  /** Leaf groups next to a vacated seat in the ring: what is put there crosses nothing. */
  boolean nextToVacancy(int leaf) {
    for (int seat : vacated) {
      if (leaves[Math.floorMod(seat - 1, seats.size())] == leaf
          || leaves[Math.floorMod(seat + 1, seats.size())] == leaf) {
        return true;
      }
    }
    return false;
  }

  /**
   * Crossings that putting a vacated seat into a leaf group adds to those with its neighbours that
   * are placed already.
   *
   * @param placed leaf groups of vacated seats so far; those of {@code v} and later ones are not
   */
  int crossings(int v, int leaf, int[] placed) {
    int seat = vacated[v];
    int size = seats.size();
    return size == 1
        ? 0
        : crossing(Math.floorMod(seat - 1, size), v, leaf, placed)
            + crossing(Math.floorMod(seat + 1, size), v, leaf, placed);
  }

  private int crossing(int neighbour, int v, int leaf, int[] placed) {
    int other = leafOf(neighbour, v, placed);
    return other == OPEN || other == leaf ? 0 : 1;
  }

  private int leafOf(int seat, int v, int[] placed) {
    if (!seats.get(seat).vacated()) {
      return leaves[seat];
    }
    int index = Arrays.binarySearch(vacated, seat);
    return index < v ? placed[index] : OPEN;
  }

  /** Crossings of the whole ring. */
  int crossings(int[] placed) {
    int[] all = leaves.clone();
    for (int v = 0; v < vacated.length; v++) {
      all[vacated[v]] = placed[v];
    }
    int count = 0;
    for (int i = 0; seats.size() > 1 && i < all.length; i++) {
      count += all[i] == all[(i + 1) % all.length] ? 0 : 1;
    }
    return count;
  }

  /** Leaf groups that the whole gang spans. */
  int leafGroups(int[] placed) {
    int[] all = leaves.clone();
    for (int v = 0; v < vacated.length; v++) {
      all[vacated[v]] = placed[v];
    }
    return (int) Arrays.stream(all).distinct().count();
  }
}
