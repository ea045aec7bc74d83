package dev.rekindle.detect.stall;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A job of tensor, data and pipeline groups, played in milliseconds: hosts enqueue their calls in
 * order, some ahead of their devices, which complete them in order, each once all members have come
 * to it. What the flight recorder of each rank would have written at any moment can be asked for.
 */
final class PlayedJob {
  /** What happens to one rank, or to all, at {@link #FAULT}. */
  enum Fault {
    /** Nothing. */
    NONE,
    /** Its host enqueues no more. */
    HOST,
    /** Its device completes no more, after peers may have completed what it has joined. */
    DEVICE,
    /** No rank: a group's collectives end no more. */
    NETWORK
  }

  /** When it happens. */
  static final long FAULT = 3_000;

  /** The end of what is played. */
  static final long END = 40_000;

  private static final long MOVING = FAULT + 11_000;

  private static final long BASE = 1_795_506_864_000_000_000L;
  private static final long NEVER = Long.MAX_VALUE;
  private static final int RING = 400;

  private record Call(int group, String operation, int size, int root, int peer) {
    boolean toPeer() {
      return peer >= 0;
    }
  }

  private record Group(String name, String description, List<Integer> ranks) {}

  /** What is wrong with the job. */
  record Trouble(Fault fault, int culprit, @Nullable Integer straggler) {}

  private final Random random;
  private final int tensor;
  private final int data;
  private final int pipeline;
  private final Trouble trouble;
  private final int ahead;
  private final boolean syncs;
  private final int pace;
  private final List<Group> groups = new ArrayList<>();
  private final int[] tensorOf;
  private final int[] dataOf;
  private final int[] pipelineOf;
  private final List<List<Call>> steps = new ArrayList<>();
  private final List<List<Call>> calls = new ArrayList<>();
  private final List<List<Long>> enqueued = new ArrayList<>();
  private final List<List<Long>> over = new ArrayList<>();

  /** When each device came to its operations; NEVER for the one in which it stopped before. */
  private final List<List<Long>> begun = new ArrayList<>();

  private final List<Map<Long, Integer>> counted = new ArrayList<>();
  private final List<List<Long>> places = new ArrayList<>();
  private final Map<Long, BitSet> came = new HashMap<>();
  private final long[] nextEnqueue;
  private final long[] arrives;
  private int stuck = -1;
  private boolean timed;

  private PlayedJob(Random random, int tensor, int data, int pipeline, Trouble trouble) {
    this.random = random;
    this.tensor = tensor;
    this.data = data;
    this.pipeline = pipeline;
    this.trouble = trouble;
    ahead = 1 + random.nextInt(random.nextBoolean() ? 4 : 64);
    syncs = random.nextInt(3) > 0;
    pace = 1 + random.nextInt(20);
    int ranks = ranks();
    tensorOf = new int[ranks];
    dataOf = new int[ranks];
    pipelineOf = new int[ranks];
    nextEnqueue = new long[ranks];
    arrives = new long[ranks];
    Arrays.fill(arrives, NEVER);
    group("default_pg", IntStream.range(0, ranks).boxed().toList());
    groups(tensor, tensorOf, "TP", rank -> rank / tensor * tensor, 1);
    groups(
        data, dataOf, "DP", rank -> rank / (tensor * data) * tensor * data + rank % tensor, tensor);
    groups(pipeline, pipelineOf, "PP", rank -> rank % (tensor * data), tensor * data);
    for (int rank = 0; rank < ranks; rank++) {
      steps.add(step(rank));
      calls.add(new ArrayList<>());
      enqueued.add(new ArrayList<>());
      over.add(new ArrayList<>());
      begun.add(new ArrayList<>());
      counted.add(new HashMap<>());
      places.add(new ArrayList<>());
    }
  }

  /** Plays one of 4 to 16 ranks. */
  static PlayedJob play(Random random, Fault fault, boolean straggles) {
    int[][] shapes = {{2, 2, 1}, {2, 2, 2}, {4, 2, 1}, {1, 4, 2}, {2, 2, 4}, {4, 2, 2}, {1, 6, 1}};
    var shape = shapes[random.nextInt(shapes.length)];
    int ranks = shape[0] * shape[1] * shape[2];
    int culprit = random.nextInt(ranks);
    var trouble =
        new Trouble(
            fault, culprit, straggles ? (culprit + 1 + random.nextInt(ranks - 1)) % ranks : null);
    var job = new PlayedJob(random, shape[0], shape[1], shape[2], trouble);
    job.run();
    return job;
  }

  /** The same, whose recorders time devices, as {@code TORCH_NCCL_ENABLE_TIMING} has them do. */
  PlayedJob timed() {
    timed = true;
    return this;
  }

  int ranks() {
    return tensor * data * pipeline;
  }

  /** Who holds up the others; null for no rank. */
  @Nullable Integer culprit() {
    return trouble.fault() == Fault.HOST || trouble.fault() == Fault.DEVICE
        ? trouble.culprit()
        : null;
  }

  /** When the last host enqueued, or the last device completed, anything at all. */
  long stands() {
    long last = 0;
    for (int rank = 0; rank < ranks(); rank++) {
      last = Math.max(last, enqueued.get(rank).isEmpty() ? 0 : enqueued.get(rank).getLast());
      last = Math.max(last, over.get(rank).isEmpty() ? 0 : over.get(rank).getLast());
    }
    return last;
  }

  /** Whether at the end of all its device stands in an operation, and waits there. */
  boolean standsInOperation(int rank) {
    int open = over.get(rank).size();
    return open < enqueued.get(rank).size()
        && open < begun.get(rank).size()
        && begun.get(rank).get(open) != NEVER;
  }

  static long nanos(long millis) {
    return BASE + millis * 1_000_000 + 500_000;
  }

  private int group(String description, List<Integer> ranks) {
    groups.add(new Group(String.valueOf(groups.size()), description, ranks));
    return groups.size() - 1;
  }

  private void groups(int size, int[] of, String description, IntUnaryOperator first, int stride) {
    Arrays.fill(of, -1);
    if (size == 1) {
      return;
    }
    Map<Integer, Integer> byFirst = new HashMap<>();
    for (int rank = 0; rank < ranks(); rank++) {
      int from = first.applyAsInt(rank);
      of[rank] =
          byFirst.computeIfAbsent(
              from,
              _ ->
                  group(
                      description,
                      IntStream.range(0, size).mapToObj(i -> from + i * stride).toList()));
    }
  }

  private List<Call> step(int rank) {
    List<Call> step = new ArrayList<>();
    int stage = rank / (tensor * data);
    int micro = pipeline > 1 ? 3 : 1;
    for (int i = 0; i < 2 * micro; i++) {
      boolean forward = i < micro;
      int from = forward ? stage - 1 : stage + 1;
      int to = forward ? stage + 1 : stage - 1;
      if (from >= 0 && from < pipeline) {
        step.add(new Call(pipelineOf[rank], "recv " + stage + "<-" + from, 64, -1, from));
      }
      if (tensor > 1) {
        step.add(new Call(tensorOf[rank], "all_reduce", 64, -1, -1));
        step.add(
            new Call(tensorOf[rank], i == 0 ? "broadcast" : "all_reduce", 32, i == 0 ? 0 : -1, -1));
      }
      if (to >= 0 && to < pipeline) {
        step.add(new Call(pipelineOf[rank], "send " + stage + "->" + to, 64, -1, to));
      }
    }
    if (data > 1) {
      step.add(new Call(dataOf[rank], "_reduce_scatter_base", 128, -1, -1));
      step.add(new Call(dataOf[rank], "_all_gather_base", 16, -1, -1));
    }
    step.add(new Call(0, "all_reduce", 1, -1, -1));
    return step;
  }

  private Call call(int rank, int index) {
    var made = calls.get(rank);
    while (made.size() <= index) {
      made.addAll(steps.get(rank));
    }
    return made.get(index);
  }

  private void run() {
    if (trouble.fault() == Fault.NETWORK) {
      stuck = random.nextInt(groups.size());
    }
    long now = 0;
    while (now < (trouble.fault() == Fault.NONE ? MOVING : END)) {
      boolean moved = true;
      while (moved) {
        moved = false;
        for (int rank = 0; rank < ranks(); rank++) {
          moved |= enqueue(rank, now);
          moved |= complete(rank, now);
        }
      }
      long next = NEVER;
      for (int rank = 0; rank < ranks(); rank++) {
        if (mayEnqueue(rank, nextEnqueue[rank])) {
          next = Math.min(next, nextEnqueue[rank]);
        }
        if (arrives[rank] > now) {
          next = Math.min(next, arrives[rank]);
        }
      }
      if (next == NEVER) {
        return;
      }
      now = Math.max(now + 1, next);
    }
  }

  private boolean mayEnqueue(int rank, long now) {
    boolean stopped = trouble.fault() == Fault.HOST && trouble.culprit() == rank && now >= FAULT;
    int made = enqueued.get(rank).size();
    int waits = made - over.get(rank).size();
    boolean step = syncs && made > 0 && made % steps.get(rank).size() == 0;
    return !stopped && waits < ahead && !(step && waits > 0);
  }

  private boolean enqueue(int rank, long now) {
    if (nextEnqueue[rank] > now || !mayEnqueue(rank, now)) {
      return false;
    }
    places.get(rank).add(place(rank, enqueued.get(rank).size()));
    enqueued.get(rank).add(now);
    var straggler = trouble.straggler();
    boolean slow = straggler != null && straggler == rank && now >= FAULT - 1_000;
    nextEnqueue[rank] = now + (slow ? 200 + random.nextInt(700) : 1 + random.nextInt(2 * pace));
    arrive(rank, now);
    return true;
  }

  private void arrive(int rank, long now) {
    if (arrives[rank] == NEVER && over.get(rank).size() < enqueued.get(rank).size()) {
      long at = now + 1 + random.nextInt(2 * pace);
      boolean frozen = trouble.fault() == Fault.DEVICE && trouble.culprit() == rank && at >= FAULT;
      arrives[rank] = frozen ? NEVER : at;
      if (begun.get(rank).size() == over.get(rank).size()) {
        begun.get(rank).add(arrives[rank]);
      }
    }
  }

  private boolean complete(int rank, long now) {
    boolean frozen = trouble.fault() == Fault.DEVICE && trouble.culprit() == rank && now >= FAULT;
    int index = over.get(rank).size();
    if (frozen || index >= enqueued.get(rank).size() || arrives[rank] > now) {
      return false;
    }
    var call = call(rank, index);
    if (now >= FAULT && call.group() == stuck) {
      return false;
    }
    var members = groups.get(call.group()).ranks();
    var there = came.computeIfAbsent(places.get(rank).get(index), _ -> new BitSet());
    there.set(rank);
    boolean done =
        (call.root() >= 0 && members.get(call.root()) != rank)
            ? there.get(members.get(call.root()))
            : there.cardinality() == (call.toPeer() ? 2 : members.size());
    if (!done) {
      return false;
    }
    over.get(rank).add(now);
    arrives[rank] = NEVER;
    arrive(rank, now);
    return true;
  }

  private long place(int rank, int index) {
    var call = call(rank, index);
    int me = groups.get(call.group()).ranks().indexOf(rank);
    boolean sends = call.operation().startsWith("send");
    int from = call.toPeer() ? (sends ? me : call.peer()) : -1;
    int to = call.toPeer() ? (sends ? call.peer() : me) : -1;
    int number = counted.get(rank).merge(place(call.group(), from, to, 0), 1, Integer::sum);
    return place(call.group(), from, to, number);
  }

  /**
   * Where ranks meet: the n-th collective of a group, or the n-th of those between two. Before C2
   * compiles them, a number is hashed many times faster than a record.
   */
  private static long place(int group, int from, int to, int number) {
    return (((long) group << 10 | (from + 1) << 5 | (to + 1)) << 32) | number;
  }

  /** What its flight recorder writes at that moment, as JSON. */
  String dump(int rank, long at) {
    var mine = IntStream.range(0, groups.size()).filter(g -> in(g, rank)).boxed().toList();
    Map<Integer, int[]> counted = new HashMap<>();
    int[][] status = new int[groups.size()][2];
    List<String> kept = new ArrayList<>();
    var made = enqueued.get(rank);
    int until = made.size();
    while (until > 0 && made.get(until - 1) > at) {
      until--;
    }
    for (int i = 0; i < until; i++) {
      var call = call(rank, i);
      var numbers = counted.computeIfAbsent(call.group(), _ -> new int[2]);
      numbers[call.toPeer() ? 1 : 0]++;
      boolean done = i < over.get(rank).size() && over.get(rank).get(i) <= at;
      if (!call.toPeer()) {
        status[call.group()][0]++;
        status[call.group()][1] += done ? 1 : 0;
      }
      boolean started = timed && i < begun.get(rank).size() && begun.get(rank).get(i) <= at;
      if (i >= until - RING) {
        String state = done ? "completed" : started ? "started" : "scheduled";
        kept.add(entry(mine.indexOf(call.group()), call, numbers, i, made.get(i), state));
      }
    }
    var text = new StringBuilder("{\"version\": \"2.10\", \"pg_config\": {");
    for (int group : mine) {
      var g = groups.get(group);
      text.append(mine.getFirst() == group ? "" : ", ")
          .append(
              "\"%s\": {\"name\": \"%s\", \"desc\": \"%s\", \"ranks\": \"%s\"}"
                  .formatted(g.name(), g.name(), g.description(), g.ranks()));
    }
    text.append("}, \"pg_status\": {");
    for (int group : mine) {
      text.append(mine.getFirst() == group ? "" : ", ")
          .append(
              "\"%d\": {\"last_enqueued_collective\": %d, \"last_completed_collective\": %d}"
                  .formatted(
                      mine.indexOf(group), minus(status[group][0]), minus(status[group][1])));
    }
    return text.append("}, \"entries\": [")
        .append(String.join(",\n", kept))
        .append("]}")
        .toString();
  }

  /** A status counts from one on, and has -1 for none. */
  private static int minus(int count) {
    return count == 0 ? -1 : count;
  }

  private boolean in(int group, int rank) {
    return groups.get(group).ranks().contains(rank);
  }

  private String entry(int local, Call call, int[] numbers, int index, long time, String state) {
    var group = groups.get(call.group());
    // Not by a pattern, as tests write hundreds of thousands of them.
    return "{\"pg_id\": "
        + local
        + ", \"process_group\": [\""
        + group.name()
        + "\", \""
        + group.description()
        + "\"], \"collective_seq_id\": "
        + numbers[0]
        + ", \"p2p_seq_id\": "
        + numbers[1]
        + ", \"profiling_name\": \"nccl:"
        + call.operation()
        + "\", \"input_sizes\": [["
        + call.size()
        + "]], \"input_dtypes\": [\"Float\"], \"time_created_ns\": "
        + (BASE + time * 1_000_000 + index)
        + ", \"state\": \""
        + state
        + "\", \"time_discovered_started_ns\": "
        + (timed && !state.equals("scheduled") ? BASE + time * 1_000_000 : 0)
        + ", \"retired\": "
        + state.equals("completed")
        + ", \"is_p2p\": "
        + call.toPeer()
        + '}';
  }
}
