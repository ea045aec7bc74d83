package dev.rekindle.detect.stall;

import dev.rekindle.detect.flightrecorder.Collective;
import dev.rekindle.detect.flightrecorder.Dump;
import dev.rekindle.detect.flightrecorder.GroupProgress;
import dev.rekindle.detect.flightrecorder.ProcessGroup;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Dumps that are older than others of their job, by what they hold: another rank has completed a
 * collective of all that this one, by its dump, has not enqueued. It has joined since, and where it
 * stands now nothing says. Files that were copied have no time that would show it.
 *
 * @param ranks whose dumps they are
 * @param evidence a line for each of the first of them
 */
record FormerDumps(NavigableSet<Integer> ranks, List<String> evidence) {
  private static final int SHOWN = 4;

  /** Collectives that some ranks may have completed while others still wait for one of them. */
  private static final Pattern BETWEEN_PAIRS =
      Pattern.compile(
          "\\b_?(broadcast|reduce|gather|scatter|all_?to_?all(v|_base|_single)?)(_oop)?\\b");

  private static final Pattern OF_ALL =
      Pattern.compile(
          "_?(all_?reduce|all_?gather(_into_tensor|_base)?|reduce_scatter(_tensor|_base)?|barrier)"
              + "(_coalesced|_oop)?",
          Pattern.CASE_INSENSITIVE);

  /** Whether ranks may have completed it that another one has not joined. */
  static boolean isBetweenPairs(String operation) {
    return BETWEEN_PAIRS.matcher(operation).find();
  }

  /** Finds them among the dumps of one job. */
  static FormerDumps among(Collection<Dump> dumps) {
    Map<ProcessGroup, NavigableMap<Integer, GroupProgress>> members = new HashMap<>();
    for (var dump : dumps) {
      dump.groups()
          .forEach(
              (group, progress) ->
                  members.computeIfAbsent(group, _ -> new TreeMap<>()).put(dump.rank(), progress));
    }
    var former = new FormerDumps(new TreeSet<>(), new ArrayList<>());
    members.entrySet().stream()
        .sorted(Comparator.comparing(e -> e.getKey().label()))
        .forEach(e -> former.add(e.getKey(), e.getValue()));
    return former;
  }

  private void add(ProcessGroup group, NavigableMap<Integer, GroupProgress> members) {
    if (members.values().stream().anyMatch(GroupProgress::pointToPoint)) {
      return;
    }
    // The last collective of all that is over on some rank.
    var last =
        members.values().stream()
            .flatMap(
                p ->
                    p.operations().stream()
                        .filter(c -> !c.pending() && c.sequence() <= p.completed()))
            .filter(c -> OF_ALL.matcher(c.operation()).matches())
            .max(Comparator.comparingLong(Collective::sequence));
    if (last.isEmpty()) {
      return;
    }
    long over = last.get().sequence();
    members.entrySet().stream()
        .filter(e -> isKnown(e.getValue()) && e.getValue().enqueued() < over)
        .map(Map.Entry::getKey)
        .filter(Predicate.not(ranks::contains))
        .forEach(
            rank -> {
              ranks.add(rank);
              if (evidence.size() < SHOWN) {
                evidence.add(
                    ("%s: collective %d (%s) is over on other ranks and not begun in the dump of"
                            + " rank %d: it is older, and says nothing")
                        .formatted(group.label(), over, last.get().operation(), rank));
              }
            });
  }

  private static boolean isKnown(GroupProgress progress) {
    return !(progress.inferred() && progress.operations().isEmpty());
  }
}
