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
import java.util.regex.Pattern;

/**
 * Dumps that are older than others of their job, by what they hold: another rank has completed a
 * collective of all that this one, by its dump, has not enqueued. It has joined since, and where it
 * stands now nothing says. Files that were copied have no time that would show it. Dumps of {@link
 * EarlierRuns} are such as well.
 *
 * @param ranks whose dumps they are
 * @param evidence a line for each of the first of them
 */
record FormerDumps(NavigableSet<Integer> ranks, List<String> evidence) {
  private static final int SHOWN = 4;

  private static final GroupProgress NOTHING = new GroupProgress(0, 0, true, List.of());

  /** Collectives that some ranks may have completed while others still wait for one of them. */
  private static final Pattern BETWEEN_PAIRS =
      Pattern.compile(
          "\\b_?(broadcast|reduce|gather|scatter|all_?to_?all(v|_base|_single)?)(_oop)?\\b");

  private static final Pattern OF_ALL =
      Pattern.compile(
          "_?(all_?reduce|all_?gather(_into_tensor|_base)?|reduce_scatter(_tensor|_base)?|barrier)"
              + "(_coalesced|_oop)?",
          Pattern.CASE_INSENSITIVE);

  /** Those in which each rank hears from each other one that has anything for it. */
  private static final Pattern EXCHANGE =
      Pattern.compile("\\b_?all_?to_?all(v|_base|_single)?(_oop)?\\b");

  /** An exchange may have nothing from one rank for another, and not so many in a row. */
  private static final int EXCHANGES = 3;

  /** Whether ranks may have completed it that another one has not joined. */
  static boolean isBetweenPairs(String operation) {
    return BETWEEN_PAIRS.matcher(operation).find();
  }

  /** Finds them among the dumps of one job. */
  static FormerDumps among(Collection<Dump> dumps) {
    var former = new FormerDumps(new TreeSet<>(), new ArrayList<>());
    for (int rank : EarlierRuns.among(dumps, OF_ALL)) {
      former.add(
          rank,
          "what the dump of rank %d has completed others enqueued later, in a later run"
              .formatted(rank));
    }
    Map<ProcessGroup, NavigableMap<Integer, GroupProgress>> members = new HashMap<>();
    for (var dump : dumps.stream().filter(d -> !former.ranks().contains(d.rank())).toList()) {
      dump.groups()
          .forEach(
              (group, progress) ->
                  members.computeIfAbsent(group, _ -> new TreeMap<>()).put(dump.rank(), progress));
    }
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
    last.ifPresent(
        over ->
            before(members, over.sequence() - 1)
                .forEach(
                    rank ->
                        add(
                            rank,
                            "%s: collective %d (%s) is over on other ranks and not begun in the dump of rank %d"
                                .formatted(
                                    group.label(), over.sequence(), over.operation(), rank))));
    addByNumbers(group, members);
  }

  /**
   * Where dumps keep only what is pending, what is over has a number and no name. More of them in a
   * row than the group is known to have between pairs hold one of all, or an exchange in which each
   * rank had something for each.
   */
  private void addByNumbers(ProcessGroup group, NavigableMap<Integer, GroupProgress> members) {
    NavigableMap<Long, Boolean> betweenPairs = new TreeMap<>();
    boolean exchanges = true;
    for (var progress : members.values()) {
      for (var c : progress.operations()) {
        boolean ofAll = OF_ALL.matcher(c.operation()).matches();
        exchanges &= EXCHANGE.matcher(c.operation()).find();
        betweenPairs.merge(c.sequence(), !ofAll, Boolean::logicalOr);
      }
    }
    if (betweenPairs.isEmpty() || (!exchanges && !betweenPairs.containsValue(false))) {
      return;
    }
    long over =
        members.values().stream()
            .filter(p -> !p.inferred())
            .mapToLong(GroupProgress::completed)
            .max()
            .orElse(-1);
    int run = exchanges ? EXCHANGES : longestRun(betweenPairs);
    for (int rank : before(members, over - 1 - run)) {
      long enqueued = members.getOrDefault(rank, NOTHING).enqueued();
      // Those that have names are judged by these.
      if (over - enqueued <= GroupWaits.COMPARABLE
          && betweenPairs.subMap(enqueued, false, over, true).isEmpty()) {
        add(
            rank,
            "%s: collectives up to %d are over on other ranks and not begun after %d in the dump of rank %d"
                .formatted(group.label(), over, enqueued, rank));
      }
    }
  }

  /** The most collectives of consecutive numbers that are not of all. */
  private static int longestRun(NavigableMap<Long, Boolean> betweenPairs) {
    int longest = 0;
    int run = 0;
    long former = Long.MIN_VALUE;
    for (var collective : betweenPairs.entrySet()) {
      boolean goesOn = collective.getKey() == former + 1;
      run = collective.getValue() ? (goesOn ? run : 0) + 1 : 0;
      longest = Math.max(longest, run);
      former = collective.getKey();
    }
    return longest;
  }

  /** Ranks that have enqueued no more than that, by dumps that say so. */
  private static List<Integer> before(
      NavigableMap<Integer, GroupProgress> members, long mostEnqueued) {
    return members.entrySet().stream()
        .filter(e -> isKnown(e.getValue()) && e.getValue().enqueued() <= mostEnqueued)
        .map(Map.Entry::getKey)
        .toList();
  }

  private void add(int rank, String why) {
    if (ranks.add(rank) && evidence.size() < SHOWN) {
      evidence.add(why + ": it is older, and says nothing");
    }
  }

  private static boolean isKnown(GroupProgress progress) {
    return !(progress.inferred() && progress.operations().isEmpty());
  }
}
