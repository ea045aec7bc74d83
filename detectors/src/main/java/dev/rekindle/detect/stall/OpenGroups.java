package dev.rekindle.detect.stall;

import dev.rekindle.detect.flightrecorder.GroupProgress;
import dev.rekindle.detect.flightrecorder.ProcessGroup;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;

/**
 * Groups that a rank may be in whose dump does not show them: over Gloo a dump lists neither the
 * members of a group nor a group in which the rank has called nothing yet. Who waits there with all
 * that do show it may be waiting for that rank.
 *
 * @param waiting ranks that wait so, in any such group
 * @param evidence what is known of each such group
 */
record OpenGroups(NavigableSet<Integer> waiting, List<String> evidence) {
  /**
   * Finds them.
   *
   * @param members progress by global rank and group
   * @param comparable those of the groups with two ranks or more that have comparable numbers
   * @param dumps ranks that have a dump
   */
  static OpenGroups of(
      Map<ProcessGroup, Map<Integer, GroupProgress>> members,
      Collection<GroupWaits> comparable,
      Set<Integer> dumps) {
    NavigableSet<Integer> all = new TreeSet<>();
    List<String> evidence = new ArrayList<>();
    for (var waits : comparable) {
      if (isOpen(waits.group(), waits.members().keySet(), dumps)) {
        NavigableSet<Integer> here = new TreeSet<>();
        waits.members().keySet().stream().filter(waits::waitsWithAll).forEach(here::add);
        add(waits.group(), here, all, evidence);
      }
    }
    members.forEach(
        (group, progress) -> {
          if (progress.size() == 1 && isOpen(group, progress.keySet(), dumps)) {
            NavigableSet<Integer> here = new TreeSet<>();
            progress.forEach(
                (rank, p) -> {
                  if (p.waits() && !p.pointToPoint()) {
                    here.add(rank);
                  }
                });
            add(group, here, all, evidence);
          }
        });
    return new OpenGroups(all, evidence);
  }

  private static void add(
      ProcessGroup group, NavigableSet<Integer> here, Set<Integer> all, List<String> evidence) {
    if (!here.isEmpty()) {
      all.addAll(here);
      evidence.add(
          "%s: %s wait%s, and other ranks may be in it whose dumps do not show it"
              .formatted(group.label(), StallAnalysis.ranks(here), here.size() == 1 ? "s" : ""));
    }
  }

  private static boolean isOpen(ProcessGroup group, Set<Integer> members, Set<Integer> dumps) {
    return dumps.stream()
        .filter(rank -> !members.contains(rank))
        .anyMatch(rank -> group.ranks().isEmpty() || group.ranks().contains(rank));
  }
}
