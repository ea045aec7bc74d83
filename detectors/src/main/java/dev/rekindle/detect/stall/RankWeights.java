package dev.rekindle.detect.stall;

import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.Group;
import dev.rekindle.api.RankEvidence.Operation;
import dev.rekindle.api.RankEvidence.ProcessState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Which ranks of a node say most of a hang. One of them may be the one that is waited for: its
 * process is stopped, it is behind in a group that another rank of the node is in, it calls
 * something else under one number, or has left the order of its calls; it waits for nothing, or
 * moved shortly before its dump. The others are victims, alike but for their groups.
 */
final class RankWeights {
  private final List<RankEvidence> ranks;
  private final List<Boolean> differ = new ArrayList<>();

  private record Key(String name, String description, String ranks) {
    static Key of(Group group) {
      return new Key(group.name(), group.description(), group.ranks());
    }
  }

  private record Place(Key group, long sequence) {}

  private RankWeights(List<RankEvidence> ranks) {
    this.ranks = ranks;
    Map<Key, Long> enqueued = new HashMap<>();
    Map<Key, Long> completed = new HashMap<>();
    Map<Place, Set<String>> calls = new HashMap<>();
    for (var rank : ranks) {
      for (var group : rank.groups()) {
        var key = Key.of(group);
        enqueued.merge(key, group.enqueued(), Math::max);
        completed.merge(key, group.completed(), Math::max);
        for (var operation : group.operations()) {
          if (!operation.pointToPoint()) {
            calls
                .computeIfAbsent(new Place(key, operation.sequence()), _ -> new HashSet<>())
                .add(operation.operation());
          }
        }
      }
    }
    for (var rank : ranks) {
      differ.add(
          rank.process() == ProcessState.STOPPED
              || (rank.calls() != null && rank.calls().since() > 0)
              || waitsForNothing(rank)
              || rank.groups().stream()
                  .anyMatch(g -> isBehind(g, enqueued, completed) || isOther(g, calls)));
    }
  }

  static RankWeights of(List<RankEvidence> ranks) {
    return new RankWeights(ranks);
  }

  /** Whether the rank at that place may be the one that is waited for. */
  boolean differs(int place) {
    return differ.get(place);
  }

  /** Places, those first whose evidence is kept first. */
  List<Integer> inOrder() {
    Set<Key> shown = new HashSet<>();
    List<Integer> differing = new ArrayList<>();
    List<Integer> showing = new ArrayList<>();
    List<Integer> rest = new ArrayList<>();
    // Those that are stopped take the least, and say the most.
    var byWeight =
        IntStream.range(0, ranks.size())
            .boxed()
            .sorted(Comparator.comparing(i -> ranks.get(i).process() != ProcessState.STOPPED))
            .toList();
    for (int i : byWeight) {
      boolean more = ranks.get(i).groups().stream().map(Key::of).anyMatch(k -> !shown.contains(k));
      if (differs(i)) {
        differing.add(i);
      } else if (more) {
        ranks.get(i).groups().forEach(g -> shown.add(Key.of(g)));
        showing.add(i);
      } else {
        rest.add(i);
      }
    }
    differing.addAll(showing);
    differing.addAll(rest);
    return differing;
  }

  private static boolean waitsForNothing(RankEvidence rank) {
    return !rank.groups().isEmpty()
        && rank.groups().stream()
            .allMatch(
                g ->
                    g.enqueued() <= g.completed()
                        && g.operations().stream().noneMatch(Operation::pending));
  }

  /** Numbers of a group with sends and receives differ anyway. */
  private static boolean isBehind(Group group, Map<Key, Long> enqueued, Map<Key, Long> completed) {
    Long idle = group.idleMillis();
    boolean moves = idle != null && idle < MovingGroups.RECENT.toMillis();
    var key = Key.of(group);
    return moves
        || (group.operations().stream().noneMatch(Operation::pointToPoint)
            && (group.enqueued() < enqueued.getOrDefault(key, 0L)
                || group.completed() < completed.getOrDefault(key, 0L)));
  }

  private static boolean isOther(Group group, Map<Place, Set<String>> calls) {
    return group.operations().stream()
        .filter(operation -> !operation.pointToPoint())
        .anyMatch(
            operation ->
                calls.getOrDefault(new Place(Key.of(group), operation.sequence()), Set.of()).size()
                    > 1);
  }
}
