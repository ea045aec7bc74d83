package dev.rekindle.controller.placement.plan;

import dev.rekindle.controller.placement.plan.GangPlan.Move;
import dev.rekindle.controller.placement.topology.Fabric;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Chooses nodes for all pods of a gang that lose theirs, at once. Survivors stay. Pure: the same
 * gang and candidates give the same plan, in whatever order the candidates come.
 *
 * <p>Of all ways to place them, the one where the pod that goes farthest goes least far; of those,
 * least far in sum; then with the fewest leaf groups, the fewest neighbours in the ring of ranks in
 * different leaf groups, the largest free block of a leaf group left to others. Hops are always
 * least; the rest is for up to eight pods, and for more as good as the search finds in its steps.
 * What is alike then goes near to the survivors, where it fits best, where a warm spare is, where
 * there were fewer incidents, and by name.
 *
 * <p>Second choices are used only where the others do not suffice for all; then they count like the
 * others, and within a leaf group come last.
 */
public final class GangPlanner {
  private GangPlanner() {}

  /**
   * The plan.
   *
   * @param fabric of all candidates, and of the nodes of the gang that are there
   * @param gang its seats in the order of ranks
   * @param candidates nodes that can take pods of it
   * @return empty when there are fewer places than vacated seats: never a part of it
   */
  public static Optional<GangPlan> plan(
      Fabric fabric, List<Seat> gang, List<Candidate> candidates) {
    Ring ring = new Ring(fabric, gang);
    int seats = ring.vacancies();
    if (seats == 0) {
      return Optional.of(new GangPlan(List.of(), 0, 0, leafGroups(ring), crossings(ring), 0));
    }
    List<Candidate> first = candidates.stream().filter(c -> !c.secondChoice()).toList();
    List<Candidate> from = places(first) >= seats ? first : candidates;
    if (places(from) < seats) {
      return Optional.empty();
    }
    List<Group> all = Groups.of(fabric, from, ring.survivors());
    int[][] homes = new int[seats][];
    for (int v = 0; v < seats; v++) {
      homes[v] = ring.home(v);
    }
    HopBudget counts = new HopBudget(fabric.height(), homes, all);
    List<Group> groups = Groups.reduced(all, ring, counts);
    Set<Group> among = Collections.newSetFromMap(new IdentityHashMap<>());
    among.addAll(groups);
    int elsewhere =
        all.stream().filter(g -> !among.contains(g)).mapToInt(Group::places).max().orElse(0);
    HopBudget budget = new HopBudget(fabric.height(), homes, groups);
    int[] chosen = new GroupSearch(ring, groups, budget, elsewhere).run();
    return Optional.of(describe(ring, groups, chosen, elsewhere));
  }

  private static long places(List<Candidate> candidates) {
    return candidates.stream().mapToLong(Candidate::places).sum();
  }

  private static int leafGroups(Ring ring) {
    return ring.leafGroups(new int[0]);
  }

  private static int crossings(Ring ring) {
    return ring.crossings(new int[0]);
  }

  private static GangPlan describe(Ring ring, List<Group> groups, int[] chosen, int elsewhere) {
    List<List<String>> places = new ArrayList<>();
    for (Group group : groups) {
      List<String> names = new ArrayList<>();
      for (Candidate node : group.nodes()) {
        for (int i = 0; i < Math.min(node.places(), chosen.length); i++) {
          names.add(node.node());
        }
      }
      places.add(names);
    }
    int[] used = new int[groups.size()];
    int[] leaves = new int[chosen.length];
    List<Move> moves = new ArrayList<>();
    for (int v = 0; v < chosen.length; v++) {
      Group group = groups.get(chosen[v]);
      leaves[v] = group.leaf();
      String to = places.get(chosen[v]).get(used[chosen[v]]++);
      Seat seat = ring.vacatedSeat(v);
      moves.add(new Move(seat.pod(), seat.node(), to, Fabric.distance(ring.home(v), group.path())));
    }
    int free = elsewhere;
    for (int g = 0; g < used.length; g++) {
      free = Math.max(free, groups.get(g).places() - used[g]);
    }
    return new GangPlan(
        moves,
        moves.stream().mapToInt(Move::hops).max().orElse(0),
        moves.stream().mapToInt(Move::hops).sum(),
        ring.leafGroups(leaves),
        ring.crossings(leaves),
        free);
  }
}
