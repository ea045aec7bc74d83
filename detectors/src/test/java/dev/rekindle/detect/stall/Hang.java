package dev.rekindle.detect.stall;

import dev.rekindle.detect.flightrecorder.Collective;
import dev.rekindle.detect.flightrecorder.Dump;
import dev.rekindle.detect.flightrecorder.GroupProgress;
import dev.rekindle.detect.flightrecorder.ProcessGroup;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * A job that hangs, played until nothing moves: ranks in a grid of rows (tensor parallel) and
 * columns (data parallel). Each host enqueues its collectives in order, some ahead of its device; a
 * device completes them in order, each once all members have enqueued it and their devices have
 * come to it.
 */
final class Hang {
  /** What is done to the culprit at one of its collectives. */
  enum Kind {
    /** Its host enqueues no more. */
    HOST,
    /** Its device gets no further, after its peers have completed a collective with it. */
    DEVICE,
    /** It calls another collective. */
    MISMATCH,
    /** No rank: a collective that all have joined does not end. */
    NETWORK
  }

  private record Call(int group, String operation, String shape) {}

  private final List<ProcessGroup> groups = new ArrayList<>();
  private final List<List<Call>> programs = new ArrayList<>();
  private final int ranks;
  private final int[] enqueued;
  private final int[] completed;
  private final int ahead;

  private Hang(int rows, int columns, int steps, int ahead) {
    ranks = rows * columns;
    this.ahead = ahead;
    enqueued = new int[ranks];
    completed = new int[ranks];
    groups.add(new ProcessGroup("0", "default_pg", IntStream.range(0, ranks).boxed().toList()));
    for (int row = 0; row < rows; row++) {
      int first = row * columns;
      group("TP", IntStream.range(first, first + columns).boxed().toList());
    }
    for (int column = 0; column < columns; column++) {
      int first = column;
      group("DP", IntStream.range(0, rows).mapToObj(r -> first + r * columns).toList());
    }
    for (int rank = 0; rank < ranks; rank++) {
      programs.add(program(1 + rank / columns, 1 + rows + rank % columns, steps));
    }
  }

  private void group(String description, List<Integer> members) {
    groups.add(new ProcessGroup(String.valueOf(groups.size()), description, members));
  }

  private static List<Call> program(int row, int column, int steps) {
    List<Call> calls = new ArrayList<>();
    for (int step = 0; step < steps; step++) {
      calls.add(new Call(row, "all_reduce", "[64]"));
      calls.add(new Call(row, "all_reduce", "[32]"));
      calls.add(new Call(column, "_reduce_scatter_base", "[128]"));
      calls.add(new Call(column, "_all_gather_base", "[16]"));
      calls.add(new Call(0, "all_reduce", "[1]"));
    }
    return calls;
  }

  /** Dumps of a job that hangs because of one rank, or of a network. */
  static List<Dump> play(Kind kind, int culprit, int rows, int columns, Random random) {
    var hang = new Hang(rows, columns, 12, 1 + random.nextInt(12));
    int at = 5 + random.nextInt(40);
    if (kind == Kind.MISMATCH) {
      var call = hang.programs.get(culprit).get(at);
      hang.programs.get(culprit).set(at, new Call(call.group(), "all_to_all", "[7]"));
    }
    hang.run(kind, culprit, at, random);
    return hang.dumps();
  }

  private void run(Kind kind, int culprit, int at, Random random) {
    boolean moved = true;
    while (moved) {
      moved = false;
      for (int turn = 0; turn < 3 * ranks; turn++) {
        int rank = random.nextInt(ranks);
        moved |= enqueue(rank, kind == Kind.HOST && rank == culprit ? at : Integer.MAX_VALUE);
        moved |= complete(kind, culprit, at, rank);
      }
      for (int rank = 0; rank < ranks; rank++) {
        moved |= enqueue(rank, kind == Kind.HOST && rank == culprit ? at : Integer.MAX_VALUE);
        moved |= complete(kind, culprit, at, rank);
      }
    }
  }

  private boolean enqueue(int rank, int limit) {
    int most = Math.min(limit, Math.min(programs.get(rank).size(), completed[rank] + ahead));
    if (enqueued[rank] >= most) {
      return false;
    }
    enqueued[rank]++;
    return true;
  }

  /** The device of a rank completes its next call, if all members have come to it. */
  private boolean complete(Kind kind, int culprit, int at, int rank) {
    int next = completed[rank];
    if (next >= enqueued[rank]) {
      return false;
    }
    var call = programs.get(rank).get(next);
    int number = number(rank, next);
    if (kind == Kind.DEVICE && rank == culprit && next >= at) {
      return false;
    }
    if (kind == Kind.NETWORK && next >= at) {
      return false;
    }
    boolean all =
        groups.get(call.group()).ranks().stream().allMatch(peer -> joined(peer, call, number));
    if (all) {
      completed[rank]++;
    }
    return all;
  }

  /** The n-th call of the group of a rank's call. */
  private int number(int rank, int index) {
    int group = programs.get(rank).get(index).group();
    return (int)
        programs.get(rank).subList(0, index + 1).stream().filter(c -> c.group() == group).count();
  }

  private boolean joined(int peer, Call call, int number) {
    int seen = 0;
    var program = programs.get(peer);
    for (int i = 0; i < enqueued[peer]; i++) {
      if (program.get(i).group() == call.group() && ++seen == number) {
        // A device comes to a call when it has completed those before it.
        return completed[peer] >= i && program.get(i).equals(call);
      }
    }
    return false;
  }

  private List<Dump> dumps() {
    List<Dump> dumps = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      dumps.add(dump(rank));
    }
    return dumps;
  }

  private Dump dump(int rank) {
    Map<Integer, List<Collective>> calls = new TreeMap<>();
    Map<Integer, Integer> over = new HashMap<>();
    for (int i = 0; i < enqueued[rank]; i++) {
      var call = programs.get(rank).get(i);
      var own = calls.computeIfAbsent(call.group(), _ -> new ArrayList<>());
      boolean pending = i >= completed[rank];
      if (!pending) {
        over.merge(call.group(), 1, Integer::sum);
      }
      own.add(new Collective(own.size() + 1L, call.operation(), call.shape(), false, pending, 1));
    }
    Map<ProcessGroup, GroupProgress> progress = new HashMap<>();
    for (int group = 0; group < groups.size(); group++) {
      if (groups.get(group).ranks().contains(rank)) {
        var own = calls.getOrDefault(group, List.of());
        progress.put(
            groups.get(group),
            new GroupProgress(own.size(), over.getOrDefault(group, 0), false, own));
      }
    }
    return new Dump(rank, progress, 1);
  }
}
