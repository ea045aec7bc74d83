package dev.rekindle.detect.stall;

import static java.util.Comparator.comparingInt;
import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Dumps of eight ranks of a mixture of experts in two stages of a pipeline, in the form in which
 * Megatron's jobs over NCCL leave them: only what is pending, some groups without an entry, numbers
 * of groups that are local, groups of one rank, exchanges inside of a group that lie between
 * collectives of a smaller one, sends and receives that are counted by themselves.
 *
 * <p>Of each rank is given how many calls its host has enqueued and its device has completed.
 */
final class PipelineDumps {
  static final int RANKS = 8;

  /** Calls of one micro-batch. */
  static final int BATCH = 6;

  /** When the newest call was enqueued, in milliseconds. */
  private static final long STANDS = 1_795_506_864_000L;

  /** Long before any of these calls. */
  private static final int FORMER_NUMBERS = 400;

  private record Group(String name, String description, List<Integer> ranks) {}

  private record Call(int group, String operation, boolean toPeer) {}

  private record Progress(int completed, int enqueued) {}

  private final List<Group> groups = new ArrayList<>();
  private final Map<Integer, Progress> progress = new TreeMap<>();

  PipelineDumps() {
    group("0", "default_pg", IntStream.range(0, RANKS).boxed().toList());
    for (int pair = 0; pair < RANKS / 2; pair++) {
      group(String.valueOf(21 + pair), "TENSOR", List.of(2 * pair, 2 * pair + 1));
    }
    group("31", "EXPERTS", List.of(0, 1, 2, 3));
    group("32", "EXPERTS", List.of(4, 5, 6, 7));
    for (int first = 0; first < RANKS / 2; first++) {
      group(String.valueOf(41 + first), "PIPELINE", List.of(first, first + RANKS / 2));
    }
    for (int rank = 0; rank < RANKS; rank++) {
      group(String.valueOf(51 + rank), "EXPERT_DATA", List.of(rank));
    }
  }

  private void group(String name, String description, List<Integer> ranks) {
    groups.add(new Group(name, description, ranks));
  }

  /** How far a rank has come. */
  PipelineDumps rank(int rank, int completed, int enqueued) {
    progress.put(rank, new Progress(completed, enqueued));
    return this;
  }

  private int index(String description, int rank) {
    return IntStream.range(0, groups.size())
        .filter(g -> groups.get(g).description().equals(description))
        .filter(g -> groups.get(g).ranks().contains(rank))
        .findFirst()
        .orElseThrow();
  }

  private Call call(int rank, int number) {
    boolean first = rank < RANKS / 2;
    return switch (number % BATCH) {
      case 0 -> new Call(index("PIPELINE", rank), first ? "send 0->1" : "recv 1<-0", true);
      case 1 -> new Call(index("TENSOR", rank), "_all_gather_base", false);
      case 2, 3 -> new Call(index("EXPERTS", rank), "all_to_all", false);
      case 4 -> new Call(index("TENSOR", rank), "_reduce_scatter_base", false);
      default -> new Call(index("PIPELINE", rank), first ? "recv 0<-1" : "send 1->0", true);
    };
  }

  /** What its recorder writes, as JSON. */
  String dump(int rank) {
    return dump(rank, requireNonNull(progress.get(rank)));
  }

  /** What its recorder has written so many calls before that. */
  String former(int rank, int calls) {
    var now = requireNonNull(progress.get(rank));
    return dump(rank, new Progress(now.completed() - calls, now.completed() - calls));
  }

  private String dump(int rank, Progress come) {
    var mine =
        IntStream.range(0, groups.size())
            .filter(g -> groups.get(g).ranks().contains(rank))
            .boxed()
            .sorted(comparingInt(g -> Integer.parseInt(groups.get(g).name())))
            .toList();
    Map<Integer, Integer> enqueued = new HashMap<>();
    Map<Integer, Integer> completed = new HashMap<>();
    List<String> entries = new ArrayList<>();
    for (int i = 0; i < come.enqueued(); i++) {
      var call = call(rank, i);
      int number = enqueued.merge(call.group(), 1, Integer::sum);
      if (i < come.completed()) {
        completed.put(call.group(), number);
      } else {
        // A local number is no place in a list: groups have gone since.
        long created = (STANDS - 20L * (come.enqueued() - i)) * 1_000_000 + rank;
        entries.add(entry(2 * mine.indexOf(call.group()), call, number, created));
      }
    }
    return ("{\"version\": \"2.9\", \"nccl_version\": \"2.27.3\", \"pg_config\": {%s},"
            + " \"pg_status\": {%s}, \"entries\": [%s]}")
        .formatted(
            mine.stream().map(this::config).collect(joining(", ")),
            mine.stream()
                .map(
                    g ->
                        status(
                            2 * mine.indexOf(g),
                            enqueued.getOrDefault(g, 0),
                            completed.getOrDefault(g, 0)))
                .collect(joining(", ")),
            String.join(", ", entries));
  }

  private String config(int group) {
    var g = groups.get(group);
    return "\"%s\": {\"name\": \"%s\", \"desc\": \"%s\", \"ranks\": \"%s\"}"
        .formatted(g.name(), g.name(), g.description(), g.ranks());
  }

  private static String status(int local, int enqueued, int completed) {
    return ("\"%d\": {\"last_enqueued_collective\": \"%d\", \"last_started_collective\": \"-1\","
            + " \"last_completed_collective\": \"%d\"}")
        .formatted(local, FORMER_NUMBERS + enqueued, FORMER_NUMBERS + completed);
  }

  private String entry(int local, Call call, int number, long created) {
    var group = groups.get(call.group());
    return ("{\"pg_id\": %d, \"process_group\": [\"%s\", \"%s\"], \"collective_seq_id\": %d,"
            + " \"p2p_seq_id\": %d, \"profiling_name\": \"nccl:%s\", \"time_created_ns\": %d,"
            + " \"input_sizes\": [[512, 1, 64]], \"input_dtypes\": [\"BFloat16\"],"
            + " \"output_sizes\": [[512, 1, 64]], \"output_dtypes\": [\"BFloat16\"],"
            + " \"state\": \"scheduled\", \"time_discovered_started_ns\": 0,"
            + " \"time_discovered_completed_ns\": 0, \"retired\": false, \"timeout_ms\": 180000,"
            + " \"is_p2p\": %b}")
        .formatted(
            local,
            group.name(),
            group.description(),
            call.toPeer() ? 12 : FORMER_NUMBERS + number,
            call.toPeer() ? FORMER_NUMBERS + number : 0,
            call.operation(),
            created,
            call.toPeer());
  }

  /** Writes the dumps of all ranks, each at a moment of its own, minutes after nothing moved. */
  void write(Path folder) throws IOException {
    for (int rank : progress.keySet()) {
      write(folder, rank, dump(rank), 180_000);
    }
  }

  /** Writes a file so many milliseconds after nothing moved, give or take a poll. */
  static void write(Path folder, int rank, String text, long later) throws IOException {
    var file = Files.writeString(folder.resolve("_dump_" + rank), text);
    long written = STANDS + later + rank * 370L % 1_000;
    Files.setLastModifiedTime(file, FileTime.from(written, TimeUnit.MILLISECONDS));
  }
}
