package dev.rekindle.detect.stall;

import static java.util.Collections.disjoint;
import static java.util.stream.Collectors.joining;

import dev.rekindle.detect.flightrecorder.Dump;
import dev.rekindle.detect.flightrecorder.GroupProgress;
import dev.rekindle.detect.flightrecorder.ProcessGroup;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Names the ranks that hold up a job, from the dumps of its flight recorders.
 *
 * <p>The algorithm:
 *
 * <ol>
 *   <li>A rank whose process is stopped, by a signal or a debugger, is named: it can do nothing.
 *   <li>A mismatch under one number is the program's fault. The ranks that are fewer are named, or
 *       the only one that has left the order of its own earlier calls ({@link Departed}); none
 *       where these differ.
 *   <li>Else the candidates are the ranks that others wait for, because they have not joined a
 *       collective (or their half of a send), and those that are held up by themselves ({@link
 *       GroupWaits}).
 *   <li>Where recorders time devices, the only rank whose device has not come to what those of
 *       others stand in is one too, with {@code medium} at most ({@link TimedDevices}).
 *   <li>A candidate that waits for another one, and not the other way round, is a victim; a host
 *       that runs ahead has enqueued what its device does not come to ({@link PendingOrder}). One
 *       that waits for a group whose devices all stand in one collective is a victim; so is one
 *       that waits, with all others of a group, for what a member without a dump may not have
 *       joined, or a rank whose dump does not show the group ({@link OpenGroups}).
 *   <li>Where the devices of a group stand in one collective that does not end, and none of them is
 *       a candidate, candidates that are behind what others have completed are not named: the
 *       network is broken in several places.
 *   <li>A candidate that moved as it wrote its dump, or wrote it before others came to stand
 *       ({@link Moments}), is not named; a dump that is older than others ({@link FormerDumps})
 *       says nothing.
 *   <li>Of what is left, the only one that has left the order of its own earlier calls is named
 *       alone; where there is none and candidates wait for each other, none is.
 *   <li>Where the candidates are all members of a group, all of which have joined what none has
 *       completed, it is what is between them.
 *   <li>Without candidates, a rank whose dump is missing is a guess, {@code low}, if others wait in
 *       a group with it.
 *   <li>Too many candidates name none: half of the ranks where none has joined, a quarter else.
 *   <li>Dumps without members of groups, which are Gloo's, hold no sends and receives: who has not
 *       joined is named with {@code medium} at most.
 * </ol>
 *
 * <p>Guarantees: no rank is named where no rank waits; a rank that has completed and joined as much
 * as its peers in all its groups is never named.
 */
public final class StallAnalysis {
  private static final int NAMED_RANKS = 8;

  private final NavigableMap<Integer, Dump> dumps;
  private final Set<Integer> unreadable;
  private final NavigableSet<Integer> stopped;

  /** Whether what is there was logged: a rank that logged nothing is not known to be stuck. */
  private final boolean logged;

  private final int worldSize;
  private final Moments moments;

  /** Whether some dumps are older than others. */
  private final boolean former;

  private final WaitGraph graph;
  private final List<GroupWaits> groups;
  private final NavigableSet<Integer> expected;
  private final List<String> evidence = new ArrayList<>();

  private StallAnalysis(
      NavigableMap<Integer, Dump> dumps,
      Set<Integer> unreadable,
      NavigableSet<Integer> stopped,
      boolean logged,
      int worldSize,
      Moments moments) {
    var former = FormerDumps.among(dumps.values());
    this.former = !former.ranks().isEmpty();
    this.dumps = new TreeMap<>(dumps);
    this.dumps.keySet().removeAll(former.ranks());
    this.logged = logged;
    this.unreadable = new TreeSet<>(unreadable);
    this.unreadable.addAll(former.ranks());
    this.stopped = stopped;
    this.worldSize = worldSize;
    this.moments = moments;
    evidence.addAll(former.evidence());
    graph = new WaitGraph(this.dumps);
    groups = graph.groups();
    expected = expected(graph.known());
    expected.addAll(former.ranks());
  }

  /**
   * Analyses the dumps of one job.
   *
   * @param dumps one for each rank that has one
   * @param unreadable ranks whose dump cannot be read
   * @param worldSize ranks of the job; 0 when it is not known
   */
  public static StallReport of(Collection<Dump> dumps, Set<Integer> unreadable, int worldSize) {
    return of(dumps, unreadable, Set.of(), worldSize);
  }

  /**
   * Analyses the dumps of one job, and what its processes do.
   *
   * @param dumps one for each rank that has one
   * @param unreadable ranks whose dump cannot be read
   * @param stopped ranks whose process is stopped
   * @param worldSize ranks of the job; 0 when it is not known
   */
  public static StallReport of(
      Collection<Dump> dumps, Set<Integer> unreadable, Set<Integer> stopped, int worldSize) {
    return of(dumps, unreadable, stopped, worldSize, Moments.UNKNOWN);
  }

  /** The same, of dumps of which is known when they were written. */
  static StallReport of(
      Collection<Dump> dumps,
      Set<Integer> unreadable,
      Set<Integer> stopped,
      int worldSize,
      Moments moments) {
    return new StallAnalysis(
            byRank(dumps),
            unreadable,
            new TreeSet<>(stopped),
            /* logged= */ false,
            worldSize,
            moments)
        .report();
  }

  /**
   * Compares counters that ranks have logged, as dumps that hold nothing else.
   *
   * @param worldSize ranks of the job; 0 when it is not known
   */
  static StallReport ofCounters(Collection<Dump> counters, int worldSize) {
    return new StallAnalysis(
            byRank(counters),
            Set.of(),
            new TreeSet<>(),
            /* logged= */ true,
            worldSize,
            Moments.UNKNOWN)
        .report();
  }

  private static NavigableMap<Integer, Dump> byRank(Collection<Dump> dumps) {
    NavigableMap<Integer, Dump> byRank = new TreeMap<>();
    dumps.forEach(d -> byRank.put(d.rank(), d));
    return byRank;
  }

  private StallReport report() {
    if (!stopped.isEmpty()) {
      return stoppedByHand();
    }
    var mismatch = groups.stream().map(Mismatch::of).flatMap(Optional::stream).findFirst();
    var missing = missing();
    var departed =
        missing.isEmpty() && unreadable.isEmpty()
            ? Departed.of(dumps.values())
            : Optional.<Departed>empty();
    if (mismatch.isPresent()) {
      return mismatch.get().report(departed);
    }
    var found = Candidates.of(graph, moments, this::whole, this::mayHaveLost, evidence);
    var candidates = found.reasons();
    boolean hidden = candidates.keySet().stream().anyMatch(graph::mayWaitForHidden);
    if (!dumps.keySet().containsAll(expected)) {
      candidates.keySet().removeIf(found::sendsToHidden);
    }
    var stuck = graph.stuck();
    var stuckRanks = DeviceWaits.ranks(graph, stuck);
    candidates.keySet().removeIf(rank -> graph.reaches(rank, stuckRanks));
    candidates.keySet().removeAll(graph.victims(candidates.keySet()));
    if (!missing.isEmpty() && !logged) {
      evidence.add("no dump of " + ranks(missing));
    }
    if (candidates.isEmpty() && missing.isEmpty() && graph.timed().all().size() > 1) {
      evidence.add(
          "the devices of %s have not come to where those of others stand: none is named"
              .formatted(ranks(graph.timed().all())));
      return new StallReport(List.of(), StallClass.UNKNOWN, Confidence.LOW, evidence);
    }
    if (candidates.isEmpty() && hidden && missing.isEmpty()) {
      evidence.addAll(graph.hidden());
      return new StallReport(List.of(), StallClass.UNKNOWN, Confidence.LOW, evidence);
    }
    if (candidates.isEmpty()) {
      return DeviceWaits.report(graph, stuck, departed, missing.isEmpty(), evidence)
          .orElseGet(() -> withoutCandidates(missing));
    }
    if (moments.anyUntimed() && !stuckRanks.isEmpty()) {
      // What others stand in does not wait for a candidate: more likely its dump is older.
      evidence.add(
          "%s stand in what does not end, and do not wait for %s: dumps may be of different moments"
              .formatted(ranks(new TreeSet<>(stuckRanks)), ranks(candidates.keySet())));
      return new StallReport(List.of(), StallClass.UNKNOWN, Confidence.LOW, evidence);
    }
    if (graph.onlyHeldUp(candidates.keySet())
        && stuck.stream().anyMatch(g -> disjoint(g.members().keySet(), candidates.keySet()))) {
      // What is between ranks is broken in several places: it is not one of them.
      return DeviceWaits.report(graph, stuck, departed, missing.isEmpty(), evidence).orElseThrow();
    }
    var doubtful = found.withoutDoubtful(former || moments.differ());
    doubtful.stream().limit(NAMED_RANKS).forEach(rank -> evidence.add(moments.evidence(rank)));
    if (candidates.isEmpty()) {
      // One that moves is none: another one may work while all wait for it.
      doubtful.removeIf(rank -> moments.moves(rank) || moments.movedLately(rank));
      return new StallReport(List.of(), StallClass.UNKNOWN, Confidence.LOW, evidence, doubtful);
    }
    if (departed.isPresent()
        && (candidates.containsKey(departed.get().rank())
            || graph.onlyWaiter(departed.get().rank()))) {
      return departed.get().report(candidates.keySet(), evidence);
    }
    var between = groups.stream().filter(g -> isBetween(g, candidates.keySet())).findFirst();
    if (between.isPresent()) {
      evidence.add(
          between.get().group().label()
              + ": all ranks have joined, it does not end, and others wait for them");
      return StallReport.between(candidates.keySet(), evidence);
    }
    if (graph.waitForEachOther(candidates.keySet())) {
      evidence.add(
          ranks(candidates.keySet()) + " wait for each other: their calls differ in order");
      return new StallReport(List.of(), StallClass.PROGRAM, Confidence.LOW, evidence);
    }
    boolean host =
        candidates.keySet().stream()
            .noneMatch(rank -> graph.waitsAnywhere(rank) || graph.timed().isOnly(rank));
    // Not to have joined is plain; not to have completed may be a matter of a moment.
    int most = Math.max(1, world() / (host ? 2 : 4));
    if (candidates.size() > most) {
      evidence.add(candidates.size() + " of " + world() + " ranks hold up others: none is named");
      return new StallReport(List.of(), StallClass.UNKNOWN, Confidence.LOW, evidence);
    }
    boolean receives = host && candidates.keySet().stream().anyMatch(this::mayReceive);
    if (receives) {
      evidence.add("the recorder keeps no sends and receives: a rank that waits in one looks so");
    }
    // A rank that lacks what others have may be held up by its device, or by a way to any of them.
    boolean sure =
        host
            && missing.isEmpty()
            && !receives
            && doubtful.isEmpty()
            && !found.anyOnlyTimed()
            && !moments.anyUntimed()
            && candidates.keySet().stream().noneMatch(moments::movedLately)
            && groups.stream()
                .filter(GroupWaits::anyWaits)
                .flatMap(g -> g.members().values().stream())
                .noneMatch(GroupProgress::inferred);
    if (moments.anyUntimed()) {
      evidence.add("the files do not say when the dumps were written: they were copied");
    }
    List<Culprit> culprits = new ArrayList<>();
    candidates.forEach((rank, why) -> culprits.add(new Culprit(rank, why)));
    return new StallReport(
        culprits,
        host ? StallClass.HOST : StallClass.DEVICE_OR_LINK,
        sure ? Confidence.HIGH : Confidence.MEDIUM,
        evidence);
  }

  private StallReport stoppedByHand() {
    evidence.add(ranks(stopped) + ": all threads of the process are stopped");
    if (2 * stopped.size() > world()) {
      return new StallReport(List.of(), StallClass.UNKNOWN, Confidence.LOW, evidence);
    }
    boolean waitedFor = groups.stream().anyMatch(GroupWaits::anyWaits);
    var reason = "its process is stopped by a signal or a debugger";
    return new StallReport(
        stopped.stream().map(rank -> new Culprit(rank, reason)).toList(),
        StallClass.HOST,
        waitedFor ? Confidence.HIGH : Confidence.MEDIUM,
        evidence);
  }

  /** Whether a rank that has not joined may wait in a receive, which its recorder does not keep. */
  private boolean mayReceive(int rank) {
    var dump = dumps.get(rank);
    return dump != null
        && (dump.withoutPeerCalls()
            || groups.stream()
                .filter(g -> g.members().containsKey(rank))
                .allMatch(g -> g.group().ranks().isEmpty()));
  }

  private static boolean isBetween(GroupWaits waits, Set<Integer> candidates) {
    return candidates.size() > 1
        && waits.members().keySet().equals(candidates)
        && candidates.stream().allMatch(waits::waitsWithAll);
  }

  private int world() {
    return expected.size();
  }

  /** Ranks count from 0 on, so one between two others is there. */
  private NavigableSet<Integer> expected(Set<ProcessGroup> known) {
    NavigableSet<Integer> all = new TreeSet<>(dumps.keySet());
    all.addAll(stopped);
    int last = all.isEmpty() ? -1 : all.last();
    IntStream.rangeClosed(0, Math.max(last, worldSize - 1)).forEach(all::add);
    known.forEach(g -> all.addAll(g.ranks()));
    return all;
  }

  private NavigableSet<Integer> missing() {
    NavigableSet<Integer> missing = new TreeSet<>(expected);
    missing.removeAll(dumps.keySet());
    return missing;
  }

  private StallReport withoutCandidates(NavigableSet<Integer> missing) {
    List<Culprit> culprits = new ArrayList<>();
    for (int rank : missing) {
      if (!logged && !unreadable.contains(rank) && missing.size() <= mostMissing()) {
        graph
            .waitsWith(rank)
            .map(group -> "has written no dump, and its peers of %s wait".formatted(group.label()))
            .or(() -> graph.awaitedInPeerCall(rank))
            .ifPresent(reason -> culprits.add(new Culprit(rank, reason)));
      }
    }
    if (!culprits.isEmpty()) {
      // A stuck device keeps no process from writing a dump: it has a thread for that. But a dump
      // may be lost for other reasons while the device of another rank stands and no dump shows it.
      return new StallReport(culprits, StallClass.HOST, Confidence.LOW, evidence);
    }
    boolean waits = groups.stream().anyMatch(GroupWaits::anyWaits);
    if (waits && groups.stream().filter(GroupWaits::anyWaits).allMatch(this::whole)) {
      NavigableSet<Integer> suspects = new TreeSet<>();
      for (var open : groups.stream().filter(GroupWaits::anyWaits).toList()) {
        evidence.add(open.group().label() + ": all ranks have joined, it does not end");
        suspects.addAll(open.members().keySet());
      }
      return StallReport.between(suspects, evidence);
    }
    evidence.add(
        waits ? "the ranks that have dumps do not differ" : "no rank waits in a collective");
    return new StallReport(List.of(), StallClass.UNKNOWN, Confidence.LOW, evidence);
  }

  /** Of three ranks one: two that wait for the third are more than it. */
  private int mostMissing() {
    return Math.max(world() > 2 ? 1 : 0, world() / 4);
  }

  /** Whether all ranks of the group are known to have a dump. */
  private boolean whole(GroupWaits waits) {
    var ranks = waits.group().ranks();
    return ranks.isEmpty()
        ? worldSize > 0 && waits.members().keySet().containsAll(expected)
        : waits.members().keySet().containsAll(ranks);
  }

  /** Whether a rank of the group wrote no dump at all: it may be stopped. */
  private boolean mayHaveLost(GroupWaits waits) {
    var ranks = waits.group().ranks();
    return (ranks.isEmpty() ? expected : ranks)
        .stream().anyMatch(rank -> !dumps.containsKey(rank) && !unreadable.contains(rank));
  }

  /** Some ranks, for people. */
  static String ranks(Collection<Integer> ranks) {
    var shown = ranks.stream().limit(NAMED_RANKS).map(String::valueOf).collect(joining(", "));
    var more = ranks.size() > NAMED_RANKS ? " and " + (ranks.size() - NAMED_RANKS) + " more" : "";
    return (ranks.size() == 1 ? "rank " : "ranks ") + shown + more;
  }
}
