package dev.rekindle.detect.stall;

import static java.util.stream.Collectors.joining;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rekindle.cli.CommandTree;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.io.TempDir;

/** Runs of {@code analyze}. */
abstract class AnalyzeFixture {
  static final Path EXAMPLES = Path.of("../examples/flight-recorder");
  static final Path SLOW = EXAMPLES.resolve("slow-loader");
  static final String NAME = "comm_lib_trace_rank_";

  private static final long SECOND = 1_000_000_000L;

  @TempDir Path folder;

  @TempDir Path other;
  final ByteArrayOutputStream out = new ByteArrayOutputStream();
  final ByteArrayOutputStream err = new ByteArrayOutputStream();

  int run(String... args) {
    var stream = new PrintStream(out, true, StandardCharsets.UTF_8);
    var errors = new PrintStream(err, true, StandardCharsets.UTF_8);
    return CommandTree.run(new AnalyzeMain(stream), List.of(args), stream, errors);
  }

  int json(Path path) {
    return run("--json", path.toString());
  }

  JsonNode object() throws IOException {
    return new ObjectMapper().readTree(out.toString(StandardCharsets.UTF_8));
  }

  String written() {
    return out.toString(StandardCharsets.UTF_8);
  }

  String errors() {
    return err.toString(StandardCharsets.UTF_8);
  }

  void copy(Path from, int... ranks) throws IOException {
    for (int rank : ranks) {
      Files.copy(from.resolve(NAME + rank), folder.resolve(NAME + rank));
    }
  }

  /** A job of three ranks in a group, of which each has enqueued and completed so much. */
  Path dump(String name, int enqueued, int completed, long created) throws IOException {
    var text =
        """
        {"version": "2.10", "pg_config": {"0": {"name": "0", "desc": "%s", "ranks": "[0, 1, 2]"}},
         "pg_status": {"0": {"last_enqueued_collective": %d, "last_started_collective": -1,
                             "last_completed_collective": %d}},
         "entries": [{"pg_id": 0, "process_group": ["0", "%s"], "collective_seq_id": %d,
           "p2p_seq_id": 0, "profiling_name": "nccl:all_reduce", "input_sizes": [[8]],
           "time_created_ns": %d, "state": "scheduled", "is_p2p": false}]}
        """
            .formatted(
                "w\\u001b[31mn\\nrank 9: forged", enqueued, completed, "d", enqueued, created);
    return Files.writeString(folder.resolve(name), text);
  }

  String culprits() throws IOException {
    return texts(object().get("culprits"), "rank");
  }

  String evidence() throws IOException {
    return object().get("evidence").toString();
  }

  private static String texts(JsonNode list, String field) {
    return list.valueStream().map(n -> n.get(field).asText()).collect(joining(" "));
  }

  /**
   * A dump of the collectives of all ranks from 1 on, each a second after the one before; the first
   * eight are over.
   *
   * @param start of its process, in seconds, and its number: no two processes have the same times
   */
  void write(String name, int world, long start, int enqueued) throws IOException {
    write(name, world, start, enqueued, 8);
  }

  /** The same, of which so many are over. */
  void write(String name, int world, long start, int enqueued, int over) throws IOException {
    var ranks = Arrays.toString(IntStream.range(0, world).toArray());
    var entries =
        IntStream.rangeClosed(1, enqueued)
            .mapToObj(
                i ->
                    """
                    {"record_id": %d, "pg_id": 0, "process_group": ["0", "default_pg"],
                     "collective_seq_id": %d, "p2p_seq_id": 0, "profiling_name": "nccl:all_reduce",
                     "input_sizes": [[8]], "time_created_ns": %d, "state": "%s", "retired": %b,
                     "time_discovered_completed_ns": %s, "is_p2p": false}
                    """
                        .formatted(
                            i - 1,
                            i,
                            SECOND * (100 + start + i) + start,
                            i > over ? "scheduled" : "completed",
                            i <= over,
                            i > over ? "null" : SECOND * (100 + start + i) + SECOND / 2))
            .collect(joining(","));
    var text =
        """
        {"version": "2.9", "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "%s"}},
         "pg_status": {"0": {"last_enqueued_collective": %d, "last_started_collective": -1,
                             "last_completed_collective": %d}}, "entries": [%s]}
        """
            .formatted(ranks, enqueued, Math.min(over, enqueued), entries);
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }
}
