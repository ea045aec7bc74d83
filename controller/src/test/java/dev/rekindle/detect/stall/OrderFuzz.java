package dev.rekindle.detect.stall;

import dev.rekindle.detect.flightrecorder.Collective;
import dev.rekindle.detect.flightrecorder.Dump;
import dev.rekindle.detect.flightrecorder.GroupProgress;
import dev.rekindle.detect.flightrecorder.ProcessGroup;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Makes dumps of bytes: operations of some ranks in several groups, in any order, many of one
 * moment. What is said of them must not go by what says nothing: the order in which dumps, groups
 * and operations of one moment are kept, where numbers begin, and the clock of each node.
 */
public final class OrderFuzz {
  private static final int BYTES = 3;
  private static final int MOST_OPERATIONS = 600;
  private static final List<String> NAMES =
      List.of("all_reduce", "_all_gather_base", "broadcast", "all_to_all");

  private OrderFuzz() {}

  /** One that can be read: the first byte is the number of ranks, each three more an operation. */
  public static byte[] seed(int ranks, int operations, int salt) {
    var bytes = new byte[1 + BYTES * operations];
    bytes[0] = (byte) ranks;
    for (int i = 1; i < bytes.length; i++) {
      bytes[i] = (byte) (i * 37 * (salt + 1) + i / 5 * salt);
    }
    return bytes;
  }

  private record Call(int rank, int group, int kind, boolean pending, int later, int begun) {}

  /** How the same job is shown: what is moved says nothing. */
  private record View(boolean reversed, long firstNumber, boolean clocks) {}

  /** Any bytes. */
  public static void order(byte[] input) {
    if (input.length == 0) {
      return;
    }
    int ranks = 2 + (input[0] & 7);
    List<Call> calls = new ArrayList<>();
    for (int at = 1; at + BYTES <= input.length && calls.size() < MOST_OPERATIONS; at += BYTES) {
      int who = input[at] & 0xff;
      int what = input[at + 1] & 0xff;
      int when = input[at + 2] & 0xff;
      calls.add(
          new Call(who % ranks, who / ranks % 4, what & 3, (what & 28) == 0, when & 3, when / 64));
    }
    var plain = report(ranks, calls, new View(false, 0, false));
    check(ranks, plain);
    same(plain, report(ranks, calls, new View(true, 0, false)), "the order in which it is kept");
    same(plain, report(ranks, calls, new View(false, 1_000_000, false)), "the first number");
    same(plain, report(ranks, calls, new View(false, 0, true)), "the clocks of nodes");
  }

  private static void check(int ranks, StallReport report) {
    var named = report.culprits().stream().map(Culprit::rank).toList();
    if (named.stream().anyMatch(rank -> rank < 0 || rank >= ranks)
        || Set.copyOf(named).size() < named.size()
        || (ranks > 2 && 2 * named.size() > ranks)) {
      throw new AssertionError("too many, or no ranks of the job: " + report);
    }
    if (report.toString().length() > 40_000) {
      throw new AssertionError("a report of " + report.toString().length());
    }
  }

  private static void same(StallReport plain, StallReport moved, String what) {
    var mine = plain.culprits().stream().map(Culprit::rank).toList();
    var theirs = moved.culprits().stream().map(Culprit::rank).toList();
    if (!mine.equals(theirs)
        || plain.stallClass() != moved.stallClass()
        || plain.confidence() != moved.confidence()) {
      throw new AssertionError("it goes by %s:%n%s%n%s".formatted(what, plain, moved));
    }
  }

  private static StallReport report(int ranks, List<Call> calls, View view) {
    List<Dump> dumps = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      dumps.add(dump(rank, ranks, calls, view));
    }
    if (view.reversed()) {
      Collections.reverse(dumps);
    }
    return StallAnalysis.of(dumps, Set.of(), ranks);
  }

  /** All ranks, a pair, every other rank, or a pair that sends and receives. */
  private static ProcessGroup group(int kind, int rank, int ranks) {
    int pair = rank / 2 * 2;
    List<Integer> members =
        kind == 0
            ? IntStream.range(0, ranks).boxed().toList()
            : kind == 2
                ? IntStream.range(0, ranks).filter(r -> r % 2 == rank % 2).boxed().toList()
                : IntStream.range(pair, Math.min(ranks, pair + 2)).boxed().toList();
    return new ProcessGroup(kind + "-" + members.getFirst(), "g" + kind, members);
  }

  private static Dump dump(int rank, int ranks, List<Call> calls, View view) {
    LongUnaryOperator clock = time -> view.clocks() ? 5 * time + 1_000L * rank : time;
    Map<ProcessGroup, List<Collective>> made =
        new TreeMap<>((a, b) -> a.name().compareTo(b.name()));
    Map<ProcessGroup, Boolean> pending = new HashMap<>();
    long time = 1_000_000;
    for (var call : calls) {
      time += call.later();
      if (call.rank() != rank) {
        continue;
      }
      var group = group(call.group(), rank, ranks);
      boolean toPeer = call.group() == 3 && group.ranks().size() == 2;
      var own = made.computeIfAbsent(group, _ -> new ArrayList<>());
      // What is enqueued behind a pending operation of the group is pending.
      boolean waits = pending.merge(group, call.pending(), Boolean::logicalOr);
      int inside = group.ranks().indexOf(rank);
      var name =
          !toPeer
              ? NAMES.get(call.kind())
              : call.kind() % 2 == 0
                  ? "send %d->%d".formatted(inside, 1 - inside)
                  : "recv %d<-%d".formatted(inside, 1 - inside);
      own.add(
          new Collective(
              (toPeer ? 0 : view.firstNumber()) + own.size() + 1,
              name,
              "",
              toPeer,
              waits,
              clock.applyAsLong(time),
              begun(waits, call.begun())));
    }
    List<ProcessGroup> groups = new ArrayList<>(made.keySet());
    if (view.reversed()) {
      Collections.reverse(groups);
    }
    Map<ProcessGroup, GroupProgress> progress = new LinkedHashMap<>();
    groups.forEach(
        group -> progress.put(group, progress(made.getOrDefault(group, List.of()), view)));
    return new Dump(rank, progress, clock.applyAsLong(time + 1));
  }

  private static @Nullable Boolean begun(boolean pending, int begun) {
    return (!pending || begun == 0) ? null : Boolean.valueOf(begun == 1);
  }

  private static GroupProgress progress(List<Collective> operations, View view) {
    if (operations.stream().anyMatch(Collective::pointToPoint)) {
      return new GroupProgress(-1, -1, false, operations);
    }
    long over = operations.stream().filter(c -> !c.pending()).count();
    return new GroupProgress(
        view.firstNumber() + operations.size(), view.firstNumber() + over, false, operations);
  }
}
