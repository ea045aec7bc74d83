package dev.rekindle.controller.placement.plan;

import dev.rekindle.controller.placement.topology.Fabric;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The leaf groups that a search chooses among. Groups that are alike for it are many on a big
 * fabric; of those as many are kept as an optimal plan can use.
 */
final class Groups {
  /** The node to be taken first first. */
  private static final Comparator<Candidate> BEST_FIRST =
      Comparator.comparing(Candidate::secondChoice)
          .thenComparing(Candidate::warm, Comparator.reverseOrder())
          .thenComparingInt(Candidate::incidents)
          .thenComparing(Candidate::node);

  private Groups() {}

  /** All leaf groups with places, ordered by the name of their first node. */
  static List<Group> of(Fabric fabric, List<Candidate> candidates, List<int[]> survivors) {
    List<Set<Integer>> held = new ArrayList<>();
    for (int level = 0; level < fabric.height(); level++) {
      Set<Integer> groups = new HashSet<>();
      for (int[] survivor : survivors) {
        groups.add(survivor[level]);
      }
      held.add(groups);
    }
    Map<Integer, List<Candidate>> byLeaf = new LinkedHashMap<>();
    for (Candidate candidate : candidates) {
      byLeaf
          .computeIfAbsent(fabric.path(candidate.node())[0], _ -> new ArrayList<>())
          .add(candidate);
    }
    List<Group> groups = new ArrayList<>();
    for (List<Candidate> nodes : byLeaf.values()) {
      nodes.sort(BEST_FIRST);
      int[] path = fabric.path(nodes.getFirst().node());
      int nearness = 0;
      while (nearness < path.length && !held.get(nearness).contains(path[nearness])) {
        nearness++;
      }
      groups.add(new Group(path, nearness, nodes));
    }
    groups.sort(
        Comparator.<Group, Boolean>comparing(
                g -> g.nodes().getFirst().warm(), Comparator.reverseOrder())
            .thenComparingInt(g -> g.nodes().getFirst().incidents())
            .thenComparing(g -> g.nodes().getFirst().node()));
    return groups;
  }

  /**
   * What makes two groups alike: each seat is as far from the one as from the other, and either
   * hosts the gang or not. One that is next to a vacated seat in the ring, or was its home, is like
   * no other.
   */
  private record Kind(int level, int group, boolean inGang, int nearness, int places, int alone) {}

  /** As many of each kind as an optimal plan for so many seats can use; the order stays. */
  static List<Group> reduced(List<Group> groups, Ring ring, HopBudget budget) {
    int seats = ring.vacancies();
    Map<Kind, List<Group>> kinds = new LinkedHashMap<>();
    for (int g = 0; g < groups.size(); g++) {
      Group group = groups.get(g);
      int level = budget.levelOfVacancies(g);
      int meets = level < group.path().length ? group.path()[level] : -1;
      int alone = group.inGang() && ring.nextToVacancy(group.leaf()) ? group.leaf() : -1;
      // What takes all seats is as good as any other that does, but for how well it fits.
      int places = Math.min(seats, group.places());
      kinds
          .computeIfAbsent(
              new Kind(level, meets, group.inGang(), group.nearness(), places, alone),
              _ -> new ArrayList<>())
          .add(group);
    }
    Set<Group> kept = Collections.newSetFromMap(new IdentityHashMap<>());
    kinds.forEach(
        (kind, alike) ->
            alike.stream()
                // A stable sort: of two that fit alike the first stays first.
                .sorted(Comparator.comparingInt(Group::places))
                .limit(kind.places() == seats ? 1 : 2L * seats / kind.places() + 1)
                .forEach(kept::add));
    return groups.stream().filter(kept::contains).toList();
  }
}
