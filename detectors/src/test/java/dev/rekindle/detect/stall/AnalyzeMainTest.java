package dev.rekindle.detect.stall;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rekindle.cli.CommandTree;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AnalyzeMainTest {
  private static final Path EXAMPLES = Path.of("../examples/flight-recorder");
  private static final Path SLOW = EXAMPLES.resolve("slow-loader");
  private static final String NAME = "comm_lib_trace_rank_";

  @TempDir Path folder;
  @TempDir Path other;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int run(String... args) {
    var stream = new PrintStream(out, true, StandardCharsets.UTF_8);
    var errors = new PrintStream(err, true, StandardCharsets.UTF_8);
    return CommandTree.run(new AnalyzeMain(stream), List.of(args), stream, errors);
  }

  private int json(Path path) {
    return run("--json", path.toString());
  }

  private JsonNode object() throws IOException {
    return new ObjectMapper().readTree(out.toString(StandardCharsets.UTF_8));
  }

  private String written() {
    return out.toString(StandardCharsets.UTF_8);
  }

  private String errors() {
    return err.toString(StandardCharsets.UTF_8);
  }

  private void copy(Path from, int... ranks) throws IOException {
    for (int rank : ranks) {
      Files.copy(from.resolve(NAME + rank), folder.resolve(NAME + rank));
    }
  }

  /** A job of three ranks in a group, of which each has enqueued and completed so much. */
  private Path dump(String name, int enqueued, int completed, long created) throws IOException {
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

  @Test
  void shouldNameTheRankOfARecordedHang() throws IOException {
    assertThat(run(SLOW.toString())).isZero();
    assertThat(written())
        .startsWith("rank 2: has not joined collective 39 (all_reduce) of default_pg")
        .contains("class: host\n", "confidence: medium\n", "evidence:\n  ");

    out.reset();
    assertThat(json(EXAMPLES.resolve("mismatch"))).isZero();
    var report = object();
    assertThat(written()).endsWith("}\n").hasLineCount(1);
    assertThat(report.get("culprits")).hasSize(1);
    assertThat(report.get("culprits").get(0).get("rank").asInt()).isEqualTo(1);
    assertThat(report.get("culprits").get(0).get("reason").asText()).contains("all_gather");
    assertThat(report.get("class").asText()).isEqualTo("program");
    assertThat(report.get("confidence").asText()).isEqualTo("high");
    assertThat(report.get("evidence")).isNotEmpty();
  }

  /** The status of rank 2 is one collective behind, which would make two culprits of three. */
  @Test
  void shouldNotBlameARankForAStatusThatIsBehindItsEntries() throws IOException {
    assertThat(run(EXAMPLES.resolve("lock").toString())).isZero();
    assertThat(written())
        .startsWith("rank 1: has not joined collective 46 (all_reduce) of default_pg")
        .doesNotContain("rank 2");
  }

  /** Two wait where the dump of the third shows nothing; it waits for them somewhere else. */
  @Test
  void shouldNotTakeAGroupThatADumpDoesNotShowForOneThatAllHaveJoined() throws IOException {
    assertThat(json(EXAMPLES.resolve("skip"))).isEqualTo(AnalyzeMain.UNKNOWN);
    assertThat(object().get("culprits")).isEmpty();
    assertThat(object().get("class").asText()).isEqualTo("unknown");
  }

  @Test
  void shouldPrintWhatTheDocsShow() throws IOException {
    assertThat(run(SLOW.toString())).isZero();
    var shown = written().lines().map("    "::concat).collect(Collectors.joining("\n", "", "\n"));
    assertThat(Path.of("../docs/hangs.md")).content().contains(shown);
  }

  @Test
  void shouldSayThatNoRankCanBeNamed() throws IOException {
    copy(SLOW, 0, 1);
    assertThat(json(folder)).isEqualTo(AnalyzeMain.UNKNOWN);
    assertThat(object().get("culprits")).isEmpty();
    assertThat(object().get("class").asText()).isEqualTo("unknown");

    out.reset();
    assertThat(run("--json", "--ranks", "2", folder.toString())).isEqualTo(AnalyzeMain.UNKNOWN);
    assertThat(object().get("class").asText()).as("both have joined").isEqualTo("network");

    out.reset();
    assertThat(run("--json", "--ranks", "4", folder.toString())).isEqualTo(AnalyzeMain.UNKNOWN);
    assertThat(object().get("class").asText()).as("two are missing").isEqualTo("unknown");
  }

  @Test
  void shouldGoOnWithoutWhatCannotBeRead() throws Exception {
    copy(SLOW, 0, 1, 2);
    byte[] whole = Files.readAllBytes(SLOW.resolve(NAME + 3));
    Files.write(folder.resolve(NAME + 3), Arrays.copyOf(whole, whole.length / 2));
    Files.writeString(folder.resolve("notes.txt"), "not a dump");
    assertThat(json(folder)).isZero();
    assertThat(object().get("culprits").get(0).get("rank").asInt()).isEqualTo(2);
    assertThat(object().get("evidence"))
        .map(JsonNode::asText)
        .anyMatch(fact -> fact.startsWith("not used: " + NAME + "3: "))
        .anyMatch(fact -> fact.startsWith("not used: notes.txt: "));
  }

  /** Opening a pipe without a writer has no end; a link may lead out of the folder. */
  @Test
  void shouldOpenNoPipeAndFollowNoLink() throws Exception {
    copy(SLOW, 0, 1, 2);
    var pipe = folder.resolve("pipe_3");
    var made = new ProcessBuilder("mkfifo", pipe.toString()).start();
    assertThat(made.waitFor(10, TimeUnit.SECONDS)).isTrue();
    assertThat(made.exitValue()).isZero();
    Files.createSymbolicLink(folder.resolve("rank_4"), SLOW.resolve(NAME + 3).toAbsolutePath());
    assertThat(run(folder.toString())).isZero();
    assertThat(written()).doesNotContain("rank 4", "rank_4", "pipe_3");
  }

  /** The folder itself may be a link: the caller has named it. */
  @Test
  void shouldTakeTheNewestDumpOfARank() throws IOException {
    long old = 1_700_000_000L;
    dump("a_0", 9, 8, 1);
    dump("a_1", 9, 8, 1);
    Files.setLastModifiedTime(dump("a_2", 9, 8, 1), FileTime.from(old, TimeUnit.SECONDS));
    dump("b_2", 8, 8, 1);
    assertThat(json(Files.createSymbolicLink(other.resolve("link"), folder))).isZero();
    assertThat(object().get("culprits").get(0).get("rank").asInt()).isEqualTo(2);
  }

  @Test
  void shouldPrintNoControlCharacterOfAProgram() throws IOException {
    dump("a_0", 9, 8, 1);
    dump("a_1", 9, 8, 1);
    dump("a_2", 8, 8, 1);
    assertThat(run(folder.toString())).isZero();
    assertThat(written()).contains("rank 2: has not joined").doesNotContain("\u001b", "\nrank 9");
  }

  @Test
  void shouldNotTakeATrainingJobForAHang() throws IOException {
    long now = 1_700_000_000L;
    for (int rank = 0; rank < 3; rank++) {
      long created = TimeUnit.SECONDS.toNanos(now);
      var file = dump("a_" + rank, rank == 2 ? 8 : 9, 8, created);
      Files.setLastModifiedTime(file, FileTime.from(now, TimeUnit.SECONDS));
    }
    assertThat(run(folder.toString())).isEqualTo(AnalyzeMain.UNKNOWN);
    assertThat(written()).contains("no hang");

    try (Stream<Path> files = Files.list(folder)) {
      for (var file : files.toList()) {
        Files.setLastModifiedTime(file, FileTime.from(now + 60, TimeUnit.SECONDS));
      }
    }
    assertThat(run(folder.toString())).isZero();
  }

  @Test
  void shouldRefuseWhatIsNoDumpAndWrongUsage() throws IOException {
    Files.writeString(folder.resolve("rank_0"), "cos\nsystem\n(S'true'\ntR.");
    assertThat(run(folder.toString())).isEqualTo(2);
    assertThat(errors()).contains("no dump, log or answer can be read", "rank_0");
    assertThat(run(folder.resolve("missing").toString())).isEqualTo(2);
    assertThat(errors()).contains("no such file or folder");
    assertThat(run("--ranks", "-1", SLOW.toString())).isEqualTo(2);
    assertThat(run()).isEqualTo(2);
    assertThat(written()).isEmpty();
  }

  @Test
  void shouldBoundWhatIsKeptOfAllFiles() throws IOException {
    var all = WitnessFiles.read(List.of(SLOW), WitnessFiles.Limits.USUAL).dumps();
    assertThat(all.dumps()).hasSize(4);
    var files = WitnessFiles.read(List.of(SLOW), new WitnessFiles.Limits(30, 1));
    var few = files.dumps();
    assertThat(few.dumps()).hasSizeBetween(1, 3);
    assertThat(few.unreadable()).hasSize(4 - few.dumps().size());
    assertThat(files.notes().notes()).last().asString().contains("together hold more than 30");
  }

  @Test
  void shouldCountRanksThatHaveNoDumpAtAll() throws IOException {
    copy(SLOW, 0, 1, 3);
    assertThat(json(folder)).isZero();
    assertThat(object().get("culprits").get(0).get("rank").asInt()).isEqualTo(2);
    assertThat(object().get("class").asText()).isEqualTo("host");
  }
}
