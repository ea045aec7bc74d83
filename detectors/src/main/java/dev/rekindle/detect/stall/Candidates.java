package dev.rekindle.detect.stall;

import dev.rekindle.detect.stall.TimedDevices.Awaited;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Ranks that others wait for, or that are held up by their own device, with the first reason found.
 * One of these is proven where its dump was written late enough to show it.
 */
final class Candidates {
  private final WaitGraph graph;
  private final Moments moments;
  private final Predicate<GroupWaits> whole;
  private final Predicate<GroupWaits> lost;
  private final List<String> evidence;
  private final NavigableMap<Integer, String> reasons = new TreeMap<>();
  private final Set<Integer> proven = new HashSet<>();

  /** Ranks of which nothing else is known than that their device has not come. */
  private final Set<Integer> onlyTimed = new HashSet<>();

  /** Ranks that may wait for a peer, whatever else is said of them. */
  private final Set<Integer> ambiguous = new HashSet<>();

  private Candidates(
      WaitGraph graph,
      Moments moments,
      Predicate<GroupWaits> whole,
      Predicate<GroupWaits> lost,
      List<String> evidence) {
    this.graph = graph;
    this.moments = moments;
    this.whole = whole;
    this.lost = lost;
    this.evidence = evidence;
  }

  /**
   * Finds them.
   *
   * @param whole whether all ranks of a group are known to have a dump
   * @param lost whether a rank of a group may have written none at all
   * @param evidence to which lines for people are added
   */
  static Candidates of(
      WaitGraph graph,
      Moments moments,
      Predicate<GroupWaits> whole,
      Predicate<GroupWaits> lost,
      List<String> evidence) {
    var candidates = new Candidates(graph, moments, whole, lost, evidence);
    graph.groups().forEach(candidates::add);
    graph.timed().only().ifPresent(only -> candidates.notBegun(only.getKey(), only.getValue()));
    graph
        .peers()
        .forEach((rank, awaited) -> awaited.forEach(peer -> candidates.addPeer(rank, peer)));
    return candidates;
  }

  /** Reasons by rank, those that are left. */
  NavigableMap<Integer, String> reasons() {
    return reasons;
  }

  /** Whether one of those that are left is one only for what a recorder says of its device. */
  boolean anyOnlyTimed() {
    return reasons.keySet().stream().anyMatch(onlyTimed::contains);
  }

  /**
   * Takes out those that moved as they wrote their dumps, or whose dumps were too early. Where
   * dumps are of different moments, what a rank waits for by its dump may be over by now, and it
   * may be anywhere: only one that waits for nothing is left.
   *
   * @param differ whether some dumps are known to be older than others
   */
  NavigableSet<Integer> withoutDoubtful(boolean differ) {
    NavigableSet<Integer> doubtful = new TreeSet<>();
    for (int rank : reasons.keySet()) {
      if (moments.moves(rank) || !proven.contains(rank) || mayWaitForAPeer(rank)) {
        doubtful.add(rank);
      }
    }
    if (differ || !doubtful.isEmpty()) {
      reasons.keySet().stream().filter(graph::waitsAtAll).forEach(doubtful::add);
    }
    reasons.keySet().removeAll(doubtful);
    return doubtful;
  }

  private void add(GroupWaits waits) {
    for (int rank : waits.members().keySet()) {
      var awaited = waits.awaitedBy(rank);
      if (!awaited.isEmpty()) {
        // One that is still in what others have completed cannot have joined what comes after it.
        awaited.removeIf(waits::heldUpByItself);
        notJoined(waits, rank, awaited);
      } else if (waits.heldUpByItself(rank) && !mayWaitForHidden(waits, rank)) {
        heldUp(waits, rank);
      }
    }
  }

  /**
   * Whether the rank may wait for a member that has no dump: the one that sends to all others, or
   * hears from all, is not done before each has come, while others are. In an exchange of all with
   * all a member may have stopped between two peers. A rank whose device has not started the
   * operation does not wait in it.
   */
  private boolean mayWaitForHidden(GroupWaits waits, int rank) {
    long sequence = waits.sequence(rank);
    return FormerDumps.isBetweenPairs(waits.operation(sequence))
        && !graph.standsElsewhere(rank, waits.group(), sequence)
        && !whole.test(waits);
  }

  /** Whether it waits in such a collective: others may have completed it, and it is no culprit. */
  boolean sendsToHidden(int rank) {
    return graph.groups().stream()
        .anyMatch(
            g -> g.members().containsKey(rank) && g.of(rank).waits() && mayWaitForHidden(g, rank));
  }

  private void notJoined(GroupWaits waits, int rank, Set<Integer> awaited) {
    long sequence = waits.sequence(rank);
    var waitsIn =
        waits.of(rank).operations().stream()
            .filter(c -> c.sequence() == sequence && !c.pointToPoint())
            .findFirst();
    for (int late : awaited) {
      if (waitsIn.isEmpty() || !moments.isTooEarly(late, waitsIn.get())) {
        proven.add(late);
      }
      if (!reasons.containsKey(late)) {
        reasons.put(
            late,
            "has not joined collective %d%s of %s"
                .formatted(sequence, waits.operation(sequence), waits.group().label()));
        evidence.add(
            "%s: rank %d waits in collective %d%s, rank %d has enqueued %d"
                .formatted(
                    waits.group().label(),
                    rank,
                    sequence,
                    waits.operation(sequence),
                    late,
                    waits.of(late).enqueued()));
      }
    }
  }

  private void heldUp(GroupWaits waits, int rank) {
    long sequence = waits.sequence(rank);
    boolean early =
        waits.members().entrySet().stream()
            .filter(e -> e.getValue().completed() >= sequence)
            .allMatch(e -> moments.isTooEarly(rank, e.getKey()));
    if (severalBetweenPairs(waits, rank)) {
      ambiguous.add(rank);
    } else if (!early && !lost.test(waits)) {
      // One without a dump may have stopped after some were done, and before this one was.
      proven.add(rank);
    }
    var reason =
        "has not completed collective %d%s of %s, which others have"
            .formatted(sequence, waits.operation(sequence), waits.group().label());
    if (reasons.putIfAbsent(rank, reason) == null) {
      evidence.add(
          "%s: all have joined collective %d%s, rank %d has not completed it and others have"
              .formatted(waits.group().label(), sequence, waits.operation(sequence), rank));
    }
  }

  /** What a device does later than its host enqueues has no time: its dump must be long after. */
  private void notBegun(int rank, Awaited awaited) {
    boolean late = awaited.there().stream().anyMatch(other -> !moments.isTooEarly(rank, other));
    if (late && !moments.movedLately(rank)) {
      proven.add(rank);
    }
    var reason =
        "its device has not come to %s, in which those of others stand"
            .formatted(awaited.operation());
    if (reasons.putIfAbsent(rank, reason) == null) {
      onlyTimed.add(rank);
      evidence.add(
          "the devices of %s stand in %s, that of rank %d has not come to it"
              .formatted(StallAnalysis.ranks(awaited.there()), awaited.operation(), rank));
    }
  }

  /**
   * Whether the rank is one of several that have not completed a collective between pairs: one of
   * them may wait there for another one. One whose device has not come there does not.
   */
  private boolean severalBetweenPairs(GroupWaits waits, int rank) {
    long sequence = waits.sequence(rank);
    return FormerDumps.isBetweenPairs(waits.operation(sequence))
        && !graph.standsElsewhere(rank, waits.group(), sequence)
        && waits.members().keySet().stream().filter(waits::heldUpByItself).count() > 1;
  }

  private boolean mayWaitForAPeer(int rank) {
    return ambiguous.contains(rank)
        || (graph.standsInPeerCall(rank) && !graph.timed().isOnly(rank));
  }

  private void addPeer(int rank, int peer) {
    // A peer that waits for the rank itself may have completed its half: no dump keeps all of them.
    if (!moments.isTooEarly(peer, rank) && !graph.waitsForItself(peer)) {
      proven.add(peer);
    }
    reasons.putIfAbsent(
        peer,
        "rank %d waits for its half of a send or receive, which it has not begun".formatted(rank));
  }
}
