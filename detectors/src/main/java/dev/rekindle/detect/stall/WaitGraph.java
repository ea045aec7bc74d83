package dev.rekindle.detect.stall;

import dev.rekindle.detect.flightrecorder.Dump;
import dev.rekindle.detect.flightrecorder.GroupProgress;
import dev.rekindle.detect.flightrecorder.ProcessGroup;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Who waits for whom, over all groups of a job. */
final class WaitGraph {
  private final NavigableMap<Integer, Dump> dumps;
  private final List<GroupWaits> groups = new ArrayList<>();
  private final Map<Integer, List<GroupWaits>> groupsOf = new HashMap<>();
  private final Map<ProcessGroup, Map<Integer, GroupProgress>> members = new HashMap<>();

  /** Members of a group that have no dump. */
  private final Map<ProcessGroup, Set<Integer>> unseenOf = new HashMap<>();

  /** By rank, members of groups in which it waits and is the only one that has a dump. */
  private final Map<Integer, Set<Integer>> waitsAlone = new HashMap<>();

  private final OpenGroups open;
  private final PeerWaits peers;
  private final PendingOrder order;

  /** A collective of a group, in which ranks wait. */
  private record Place(ProcessGroup group, long sequence) {}

  /**
   * Members that have joined it, and whose devices stand in something that they enqueued before.
   */
  private final Map<Place, NavigableSet<Integer>> standing = new HashMap<>();

  private final TimedDevices timed;

  /** Ranks that are held up by their own device in some group. */
  private final NavigableSet<Integer> heldUp = new TreeSet<>();

  /** Of the dumps of one job, by rank. */
  WaitGraph(NavigableMap<Integer, Dump> dumps) {
    this.dumps = dumps;
    order = PendingOrder.of(dumps);
    peers = PeerWaits.of(dumps, order);
    dumps.forEach(
        (rank, dump) ->
            dump.groups()
                .forEach(
                    (group, progress) ->
                        members.computeIfAbsent(group, _ -> new HashMap<>()).put(rank, progress)));
    members.entrySet().stream()
        .sorted(
            (a, b) -> {
              int name = a.getKey().name().compareTo(b.getKey().name());
              return name != 0
                  ? name
                  : a.getKey().ranks().toString().compareTo(b.getKey().ranks().toString());
            })
        .forEach(e -> GroupWaits.of(e.getKey(), e.getValue()).ifPresent(groups::add));
    groups.forEach(
        g ->
            g.members()
                .keySet()
                .forEach(rank -> groupsOf.computeIfAbsent(rank, _ -> new ArrayList<>()).add(g)));
    members.forEach(
        (group, progress) -> {
          if (progress.size() == 1) {
            progress.forEach((rank, p) -> waitsAlone(group, rank, p));
          }
        });
    open = OpenGroups.of(members, groups, dumps.keySet());
    for (var waits : groups) {
      Set<Integer> unseen = new TreeSet<>(waits.group().ranks());
      unseen.removeAll(dumps.keySet());
      if (!unseen.isEmpty()) {
        unseenOf.put(waits.group(), unseen);
      }
    }
    for (var waits : groups) {
      waits.members().keySet().stream().filter(waits::heldUpByItself).forEach(heldUp::add);
    }
    timed = TimedDevices.of(dumps, groups, peers.notBegun(), order);
    timed.only().ifPresent(only -> heldUp.add(only.getKey()));
  }

  /** What recorders say that time devices. */
  TimedDevices timed() {
    return timed;
  }

  private void waitsAlone(ProcessGroup group, int rank, GroupProgress progress) {
    if (progress.waits() && !progress.pointToPoint() && group.ranks().size() > 1) {
      Set<Integer> unseen = waitsAlone.computeIfAbsent(rank, _ -> new TreeSet<>());
      group.ranks().stream().filter(other -> other != rank).forEach(unseen::add);
    }
  }

  /** Whether one of them waits, by its dump, for another one. */
  static boolean anyWaits(Collection<Integer> ranks, Collection<Dump> dumps) {
    return !ranks.isEmpty() && waiting(dumps).stream().anyMatch(ranks::contains);
  }

  /**
   * Ranks that wait, by their dumps, in a collective that another one has not joined, or for a
   * peer's half of a send or receive.
   */
  static NavigableSet<Integer> waiting(Collection<Dump> dumps) {
    NavigableMap<Integer, Dump> byRank = new TreeMap<>();
    dumps.forEach(dump -> byRank.put(dump.rank(), dump));
    var graph = new WaitGraph(byRank);
    NavigableSet<Integer> waiting = new TreeSet<>();
    for (int rank : byRank.keySet()) {
      if (!graph.peers.awaitedBy(rank).isEmpty()
          || graph.groups.stream().anyMatch(g -> !g.awaitedBy(rank).isEmpty())) {
        waiting.add(rank);
      }
    }
    return waiting;
  }

  /** The groups whose numbers can be compared. */
  List<GroupWaits> groups() {
    return groups;
  }

  /** All groups that dumps have. */
  Set<ProcessGroup> known() {
    return members.keySet();
  }

  /** The ranks that wait for a peer's half of a send or receive: who waits for whom. */
  NavigableMap<Integer, NavigableSet<Integer>> peers() {
    NavigableMap<Integer, NavigableSet<Integer>> waits = new TreeMap<>();
    dumps.keySet().forEach(rank -> waits.put(rank, peers.awaitedBy(rank)));
    return waits;
  }

  /**
   * Groups of which all devices stand in one and the same collective, and it does not end: nothing
   * that any rank does can help there.
   */
  List<GroupWaits> stuck() {
    return groups.stream()
        .filter(g -> g.group().ranks().size() > 1)
        .filter(g -> g.members().keySet().containsAll(g.group().ranks()))
        .filter(g -> !timed.anyAwaitedIn(g))
        .filter(
            g -> {
              var ranks = g.members().navigableKeySet();
              long sequence = g.sequence(ranks.first());
              return ranks.stream()
                  .allMatch(
                      rank ->
                          g.waitsWithAll(rank)
                              && g.sequence(rank) == sequence
                              // Groups have streams of their own: a device may be in several.
                              && (order.standsIn(rank, g.group(), sequence)
                                  || g.standsIn(rank, true)));
            })
        .toList();
  }

  /** Pairs whose devices stand in one send and its receive, neither of which ends. */
  NavigableMap<Integer, NavigableSet<Integer>> stuckPairs() {
    return peers.stuck();
  }

  /** Whether it waits for one of those, over any number of ranks, or is one. */
  boolean reaches(int rank, Set<Integer> stuck) {
    if (stuck.isEmpty() || heldUp.contains(rank)) {
      return false;
    }
    return stuck.contains(rank) || reach(rank).stream().anyMatch(stuck::contains);
  }

  /** Whether it waits, over any number of ranks, for itself. */
  boolean waitsForItself(int rank) {
    return reach(rank).contains(rank);
  }

  /** Whether its device is known to stand in something else than that collective. */
  boolean standsElsewhere(int rank, ProcessGroup group, long sequence) {
    return order.isKnownOf(List.of(rank)) && !order.standsIn(rank, group, sequence);
  }

  /** Whether its device stands in a send or a receive. */
  boolean standsInPeerCall(int rank) {
    return order.standsInPeerCall(rank);
  }

  /** Whether a rank waits in any group, or for a peer. */
  boolean waitsAtAll(int rank) {
    var dump = dumps.get(rank);
    return dump != null && dump.groups().values().stream().anyMatch(Moments::waits);
  }

  /** Ranks whose devices wait for each other: each stands in what another one comes to later. */
  NavigableSet<Integer> inCircles() {
    NavigableSet<Integer> all = new TreeSet<>();
    for (int rank : dumps.keySet()) {
      if (order.isKnownOf(List.of(rank)) && reach(rank).contains(rank)) {
        all.add(rank);
      }
    }
    return all;
  }

  /** Whether all of them are behind what others have completed. */
  boolean onlyHeldUp(Set<Integer> ranks) {
    return heldUp.containsAll(ranks);
  }

  /** Candidates that wait, over any number of ranks, for one that does not wait for them. */
  Set<Integer> victims(Set<Integer> candidates) {
    Map<Integer, Set<Integer>> reached = new HashMap<>();
    candidates.forEach(rank -> reached.put(rank, reach(rank)));
    Set<Integer> victims = new TreeSet<>();
    for (int rank : candidates) {
      boolean held =
          reached.getOrDefault(rank, Set.of()).stream()
              .anyMatch(
                  other ->
                      other != rank
                          && candidates.contains(other)
                          && !reached.getOrDefault(other, Set.of()).contains(rank));
      // One that is behind what others have completed is held up by itself, whatever else it does.
      boolean mayBeHeld =
          !heldUp.contains(rank)
              && reached.getOrDefault(rank, Set.of()).stream().anyMatch(r -> !dumps.containsKey(r));
      if (held || mayBeHeld || mayWaitForHidden(rank)) {
        victims.add(rank);
      }
    }
    return victims;
  }

  /** Whether one of them waits for another one, and none of the two is held up by its device. */
  boolean waitForEachOther(Set<Integer> candidates) {
    return candidates.stream()
        .filter(rank -> !heldUp.contains(rank))
        .anyMatch(
            rank ->
                reach(rank).stream()
                    .anyMatch(
                        r -> !r.equals(rank) && candidates.contains(r) && !heldUp.contains(r)));
  }

  /** Whether that rank waits, and no other one does. */
  boolean onlyWaiter(int rank) {
    return waitsAnywhere(rank)
        && dumps.keySet().stream().noneMatch(other -> other != rank && waitsAnywhere(other));
  }

  /** A group in which ranks wait and that rank, which has no dump, may be. */
  Optional<ProcessGroup> waitsWith(int rank) {
    return members.entrySet().stream()
        .filter(e -> e.getKey().ranks().isEmpty() || e.getKey().ranks().contains(rank))
        .filter(e -> e.getValue().values().stream().anyMatch(p -> p.waits() && !p.pointToPoint()))
        .map(Map.Entry::getKey)
        .min(Comparator.comparing(ProcessGroup::label));
  }

  /** Who waits for a half of a send or receive of that rank, which has no dump. */
  Optional<String> awaitedInPeerCall(int rank) {
    return dumps.keySet().stream()
        .filter(other -> peers.standing(other).contains(rank))
        .findFirst()
        .map("has written no dump, and rank %d waits in a send or receive with it"::formatted);
  }

  /** Whether it may wait for a rank whose dump does not show the group. */
  boolean mayWaitForHidden(int rank) {
    return !heldUp.contains(rank) && open.waiting().contains(rank);
  }

  /** What is known of groups that not all dumps show. */
  List<String> hidden() {
    return open.evidence();
  }

  private Set<Integer> reach(int from) {
    Set<Integer> seen = new HashSet<>();
    Set<Place> places = new HashSet<>();
    var open = new ArrayDeque<>(List.of(from));
    while (!open.isEmpty()) {
      int rank = open.poll();
      for (int next : awaitedBy(rank, places)) {
        if (seen.add(next)) {
          open.add(next);
        }
      }
    }
    return seen;
  }

  /**
   * Whom a rank waits for.
   *
   * @param places whose devices have been counted already, as for another rank that waits there
   */
  private Set<Integer> awaitedBy(int rank, Set<Place> places) {
    Set<Integer> awaited = new HashSet<>(peers.awaitedBy(rank));
    awaited.addAll(peers.standing(rank));
    awaited.addAll(waitsAlone.getOrDefault(rank, Set.of()));
    for (var waits : groupsOf.getOrDefault(rank, List.of())) {
      awaited.addAll(waits.awaitedBy(rank));
      waits.members().keySet().stream()
          .filter(other -> heldUp.contains(other) && waits.waitsForDevice(rank, other))
          .forEach(awaited::add);
      var unseen = unseenOf.getOrDefault(waits.group(), Set.of());
      if (!unseen.isEmpty() && waits.waitsWithAll(rank)) {
        awaited.addAll(unseen);
      }
      var place = new Place(waits.group(), waits.sequence(rank));
      if (order.standsIn(rank, place.group(), place.sequence()) && places.add(place)) {
        awaited.addAll(standing.computeIfAbsent(place, _ -> standing(waits, place.sequence())));
      }
    }
    return awaited;
  }

  private NavigableSet<Integer> standing(GroupWaits waits, long sequence) {
    NavigableSet<Integer> before = new TreeSet<>();
    waits
        .members()
        .forEach(
            (rank, progress) ->
                progress.operations().stream()
                    .filter(c -> c.sequence() == sequence && !c.pointToPoint() && c.pending())
                    .filter(c -> order.standsBefore(rank, waits.group(), c))
                    .findFirst()
                    .ifPresent(_ -> before.add(rank)));
    return before;
  }

  /** Whether a rank waits in any group. */
  boolean waitsAnywhere(int rank) {
    return waitsAlone.containsKey(rank)
        || groupsOf.getOrDefault(rank, List.of()).stream().anyMatch(g -> g.of(rank).waits());
  }
}
