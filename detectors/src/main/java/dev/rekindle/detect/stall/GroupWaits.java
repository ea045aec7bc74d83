package dev.rekindle.detect.stall;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.toCollection;

import dev.rekindle.detect.flightrecorder.GroupProgress;
import dev.rekindle.detect.flightrecorder.ProcessGroup;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Who waits for whom in one group.
 *
 * <p>A rank waits in the collective after the last that it completed, once it has enqueued it. It
 * waits <em>for</em> each rank that has not enqueued that one. Where all have, a rank that has not
 * completed what another has completed is held up by its own device or link.
 */
final class GroupWaits {
  /**
   * A collective ends on no rank before all have joined, give or take a broadcast: numbers further
   * apart do not count the same thing. Groups with point-to-point operations are such.
   */
  static final long COMPARABLE = 64;

  private final ProcessGroup group;
  private final NavigableMap<Integer, GroupProgress> members;

  /** Ranks by what they have enqueued, least first: those that one waits for come first. */
  private final List<Integer> latest;

  private final long mostCompleted;
  private final Map<Long, String> operations = new HashMap<>();

  private GroupWaits(ProcessGroup group, NavigableMap<Integer, GroupProgress> members) {
    this.group = group;
    this.members = members;
    latest =
        members.entrySet().stream()
            .sorted(Comparator.comparingLong(e -> e.getValue().enqueued()))
            .map(Map.Entry::getKey)
            .toList();
    mostCompleted = members.values().stream().mapToLong(GroupProgress::completed).max().orElse(0);
    members.values().stream()
        .flatMap(p -> p.operations().stream())
        .filter(c -> !c.pointToPoint())
        .forEach(c -> operations.putIfAbsent(c.sequence(), c.operation()));
  }

  /**
   * The group, if its numbers can be compared.
   *
   * @param members progress by global rank, of the ranks that have a dump
   */
  static Optional<GroupWaits> of(ProcessGroup group, Map<Integer, GroupProgress> members) {
    if (members.size() < 2 || members.values().stream().anyMatch(GroupProgress::pointToPoint)) {
      return Optional.empty();
    }
    NavigableMap<Integer, GroupProgress> known = new TreeMap<>();
    long earliest =
        members.values().stream()
            .filter(GroupProgress::waits)
            .mapToLong(GroupProgress::completed)
            .min()
            .orElse(-1);
    members.forEach(
        (rank, progress) -> {
          // No entry and no status: had it joined what its peers wait in, it would have an entry.
          boolean none = progress.inferred() && progress.operations().isEmpty();
          known.put(
              rank,
              none ? new GroupProgress(earliest, earliest, true, progress.operations()) : progress);
        });
    long most = known.values().stream().mapToLong(GroupProgress::completed).max().orElse(0);
    long least = known.values().stream().mapToLong(GroupProgress::enqueued).min().orElse(0);
    return most - least > COMPARABLE ? Optional.empty() : Optional.of(new GroupWaits(group, known));
  }

  ProcessGroup group() {
    return group;
  }

  NavigableMap<Integer, GroupProgress> members() {
    return members;
  }

  /** How far a member has come. */
  GroupProgress of(int rank) {
    return requireNonNull(members.get(rank));
  }

  /** The collective that a member is in, or comes to next. */
  long sequence(int rank) {
    return of(rank).completed() + 1;
  }

  /** Whether any rank waits here. */
  boolean anyWaits() {
    return members.values().stream().anyMatch(GroupProgress::waits);
  }

  /** The ranks that this one waits for; none when it does not wait, or all have joined. */
  NavigableSet<Integer> awaitedBy(int rank) {
    var mine = members.get(rank);
    if (mine == null || !mine.waits()) {
      return new TreeSet<>();
    }
    long sequence = mine.completed() + 1;
    return latest.stream()
        .takeWhile(other -> of(other).enqueued() < sequence)
        .collect(toCollection(TreeSet::new));
  }

  /** Whether it has joined what all have joined, and is behind another that has completed it. */
  boolean heldUpByItself(int rank) {
    var mine = members.get(rank);
    return mine != null
        && mine.waits()
        && awaitedBy(rank).isEmpty()
        && mostCompleted > mine.completed();
  }

  /** Whether all that have a dump have joined what it waits in, and none has completed it. */
  boolean waitsWithAll(int rank) {
    var mine = members.get(rank);
    return mine != null
        && mine.waits()
        && awaitedBy(rank).isEmpty()
        && mostCompleted <= mine.completed();
  }

  /**
   * Whether a rank waits in a collective that another one has not completed either: if that one's
   * device is stuck, it is what the rank waits for.
   */
  boolean waitsForDevice(int rank, int other) {
    var mine = members.get(rank);
    var theirs = members.get(other);
    return rank != other
        && mine != null
        && theirs != null
        && mine.waits()
        && theirs.completed() <= mine.completed();
  }

  /** Whether it is known that its device has come to the collective that it is in, or has not. */
  boolean standsIn(int rank, boolean begun) {
    long sequence = sequence(rank);
    return waitsWithAll(rank)
        && of(rank).operations().stream()
            .filter(c -> c.sequence() == sequence && !c.pointToPoint() && c.pending())
            .anyMatch(c -> TimedDevices.hasBegun(c, begun));
  }

  /** What is enqueued under a number, by any rank that still has it. */
  String operation(long sequence) {
    var name = operations.get(sequence);
    return name == null ? "" : " (" + name + ")";
  }
}
