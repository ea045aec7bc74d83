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
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code rekindle analyze} on logs, answers of RAS and stacks. */
class AnalyzeLogsTest {
  private static final Path SLOW = Path.of("../examples/flight-recorder/slow-loader");
  private static final String STUCK =
      "[rank%d]:[F626 13:55:49.1 ProcessGroupNCCL.cpp:1306] [PG ID 0 PG GUID 0(default_pg) Rank %d]"
          + " ProcessGroupNCCL's watchdog got stuck for 480 seconds without making progress\n";
  private static final String RAS =
      "OK\n{\"nccl_version\": \"2.28.9\", \"communicators_count\": 1, \"communicators\": [{"
          + "\"hash\": \"0x1\", \"size\": 4, \"ranks\": [], \"missing_ranks\": [{\"rank\": 2\n"
          + " \"host\": \"10.0.0.3\", \"pid\": 9, \"status\": {\"considered_dead\": true}}]}]}";

  @TempDir Path folder;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int run(String... args) {
    var stream = new PrintStream(out, true, StandardCharsets.UTF_8);
    var errors = new PrintStream(err, true, StandardCharsets.UTF_8);
    return CommandTree.run(new AnalyzeMain(stream), List.of(args), stream, errors);
  }

  private JsonNode json(int code, String... more) throws IOException {
    out.reset();
    var args = new ArrayList<>(List.of(more));
    args.add("--json");
    args.add(folder.toString());
    assertThat(run(args.toArray(new String[0]))).isEqualTo(code);
    return new ObjectMapper().readTree(out.toString(StandardCharsets.UTF_8));
  }

  private void write(String name, String text) throws IOException {
    Files.writeString(folder.resolve(name), text);
  }

  private static List<String> evidence(JsonNode report) {
    return report.get("evidence").valueStream().map(JsonNode::asText).toList();
  }

  @Test
  void shouldGuessARankByItsLogAndShowItsStack() throws IOException {
    write("worker.out", "step 1\n" + STUCK.formatted(6, 6));
    write(
        "rank_6.txt",
        """
        Process 7: python
        Python v3.11

        Thread 7 (idle): "MainThread"
            wait (threading.py:320)
        """);
    var report = json(AnalyzeMain.UNKNOWN);
    assertThat(report.get("confidence").asText()).as("a guess").isEqualTo("low");
    assertThat(report.get("culprits").get(0).get("rank").asInt()).isEqualTo(6);
    assertThat(report.get("class").asText()).isEqualTo("host");
    assertThat(evidence(report)).contains("rank 6 is in wait (threading.py:320)");
  }

  @Test
  void shouldKnowTheRankOfALogByItsName() throws IOException {
    write("rank_3.log", "RuntimeError: CUDA error: an illegal memory access\n");
    write("rank_0.log", "step 1\n");
    var report = json(AnalyzeMain.UNKNOWN, "--ranks", "2000");
    assertThat(report.get("culprits").get(0).get("rank").asInt()).isEqualTo(3);

    write("rank_3.log", "RuntimeError: CUDA error: x\n" + STUCK.formatted(5, 5));
    assertThat(json(AnalyzeMain.UNKNOWN).get("culprits").get(0).get("rank").asInt())
        .as("another rank prints there")
        .isEqualTo(5);
  }

  @Test
  void shouldPutLogsAndDumpsTogether() throws IOException {
    for (int rank = 0; rank < 4; rank++) {
      var name = "comm_lib_trace_rank_" + rank;
      Files.copy(SLOW.resolve(name), folder.resolve(name));
    }
    write("node.log", STUCK.formatted(2, 2));
    assertThat(json(0).get("culprits").get(0).get("rank").asInt()).isEqualTo(2);
    write("node.log", STUCK.formatted(1, 1));
    var report = json(AnalyzeMain.UNKNOWN);
    assertThat(report.get("culprits")).isEmpty();
    assertThat(report.get("class").asText()).isEqualTo("unknown");
    assertThat(evidence(report))
        .contains("witnesses disagree: dumps name rank 2, logs name rank 1");
  }

  /** As NCCL 2.28.9 writes it, without a comma. */
  @Test
  void shouldNameNoRankByAnswersOfRas() throws IOException {
    write("ras.json", RAS);
    var report = json(AnalyzeMain.UNKNOWN, "--ranks", "4");
    assertThat(report.get("culprits")).isEmpty();
    assertThat(evidence(report))
        .contains("RAS: rank 2, process 9 on 10.0.0.3, is assumed dead in 1 answers");
  }

  @Test
  void shouldRefuseAnAnswerOfRasThatIsCutOff() throws IOException {
    write("ras.txt", "NCCL version 2.24.3 compiled with CUDA 12.4\n\nJob summary\n===========\n");
    assertThat(run(folder.toString())).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("cut off");
  }

  @Test
  void shouldTakeLongLinesAndManyFacts() throws IOException {
    var text = new StringBuilder("x".repeat(5_000_000)).append('\r');
    text.append(STUCK.formatted(1, 1).repeat(10_000)).append("tail without end");
    write("a.log", text.toString());
    assertThat(json(AnalyzeMain.UNKNOWN).get("culprits")).hasSize(1);
  }

  @Test
  void shouldBoundWhatIsReadOfAllLogs() throws IOException {
    write("rank_0.log", "x\n".repeat(1_000_000));
    write("rank_1.log", "x\n".repeat(1_000_000));
    var files = WitnessFiles.read(List.of(folder), new WitnessFiles.Limits(1, 3 << 20));
    assertThat(files.logs().ranks()).containsExactly(0);
    assertThat(files.notes().notes())
        .containsExactly("rank_1.log: the logs together hold more than 3 MiB");
  }

  @Test
  void shouldKnowRanksInNamesOfFiles() {
    assertThat(FileRank.of("rank_12.log")).isEqualTo(12);
    assertThat(FileRank.of("pyspy-Rank-3.json")).isEqualTo(3);
    assertThat(FileRank.of("4.log")).isEqualTo(4);
    assertThat(FileRank.of("llm-worker-3.log")).isEqualTo(-1);
    assertThat(FileRank.of("2026-11-24.log")).isEqualTo(-1);
    assertThat(FileRank.of("ranking.txt")).isEqualTo(-1);
    assertThat(FileRank.of("rank_99999999.log")).isEqualTo(-1);
  }
}
