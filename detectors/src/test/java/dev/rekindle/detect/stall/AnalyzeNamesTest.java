package dev.rekindle.detect.stall;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Names and forms of files as people leave them, and whose they are. */
class AnalyzeNamesTest extends AnalyzeFixture {
  /** What people put behind the rank, and into the name of a folder. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "nccl_trace_rank_%d_20261127",
        "nccl_trace_rank_%d_1764266400",
        "rank%d_of_4",
        "rank_%d_step_120",
        "fr-rank%d-worker-0.pickle",
        "nccl_trace_rank_%d.attempt1",
        "step_120/rank=%d.json",
        "rank_%d/flight_recorder",
        "node-0/_dump_%d"
      })
  void shouldKnowTheRankOfADump(String name) throws IOException {
    for (int rank = 0; rank < 4; rank++) {
      var file = folder.resolve(name.formatted(rank));
      Files.createDirectories(file.getParent());
      Files.copy(SLOW.resolve(NAME + rank), file);
    }
    assertThat(json(folder)).isZero();
    assertThat(culprits()).isEqualTo("2");
  }

  /** Each node counts its own ranks: which of the job has not joined, the names do not say. */
  @Test
  void shouldNameNoRankByNumbersOfANode() throws IOException {
    for (int node = 0; node < 2; node++) {
      for (int rank = 0; rank < 4; rank++) {
        boolean stuck = node == 0 && rank == 2;
        write("node%d/trace_rank_%d".formatted(node, rank), 8, 7 + node * 3L + rank, stuck ? 8 : 9);
      }
    }
    assertThat(json(folder)).isEqualTo(2);
    assertThat(errors()).contains("processes that ran at the same time have dumps of rank");
  }

  /** The same process may have written two dumps, and an earlier one of the job another. */
  @Test
  void shouldTakeTheNewerDumpOfOneProcess() throws IOException {
    for (int rank = 0; rank < 4; rank++) {
      write("before/_dump_" + rank, 4, rank, 6);
      write("first/_dump_" + rank, 4, rank + 1000, 7);
      write("second/_dump_" + rank, 4, rank + 1000, rank == 2 ? 8 : 9);
    }
    assertThat(json(folder)).isZero();
    assertThat(culprits()).isEqualTo("2");
  }

  /** A rank is a member of each group that its process has made. */
  @Test
  void shouldRefuseADumpOfAnotherRank() throws IOException {
    for (int rank = 0; rank < 4; rank++) {
      write("_dump_" + rank, 4, rank, rank == 2 ? 8 : 9);
    }
    assertThat(json(folder)).isZero();
    assertThat(culprits()).isEqualTo("2");
    out.reset();
    Files.move(folder.resolve("_dump_2"), folder.resolve("_dump_7"));
    assertThat(json(folder)).isEqualTo(3);
    assertThat(evidence()).contains("rank 7 is no member of its group 0");
  }

  @ParameterizedTest
  @CsvSource({"1f8b0800, gz", "504b0304, zip", "28b52ffd, zst", "fd377a585a, xz"})
  void shouldSayThatAFileIsPacked(String start, String end) throws IOException {
    copy(SLOW, 0, 1, 2, 3);
    Files.write(folder.resolve("_dump_4." + end), HexFormat.of().parseHex(start + "00"));
    var archive = new byte[1024];
    System.arraycopy("ustar".getBytes(StandardCharsets.US_ASCII), 0, archive, 257, 5);
    Files.write(folder.resolve("dumps.tar"), archive);
    assertThat(json(folder)).isZero();
    assertThat(evidence())
        .contains("_dump_4." + end + ": it is packed: unpack it first")
        .contains("dumps.tar: it is packed");
  }

  /** As container runtimes keep logs. */
  @Test
  void shouldReadALogOfJsonLines() throws IOException {
    for (int rank = 0; rank < 4; rank++) {
      int enqueued = rank == 2 ? 29 : 31;
      var line =
          ("[rank%1$d]:[E1127 18:00:0%1$d.123456789 ProcessGroupNCCL.cpp:1785] [PG ID 0 PG GUID"
               + " 0(default_pg) Rank %1$d]  failure detected by watchdog at work sequence id: 30"
               + " PG status: last enqueued work: %2$d, last completed work: 29")
              .formatted(rank, enqueued);
      var text =
          "{\"log\":\"step 1\\n\",\"stream\":\"stdout\"}\n{\"log\":\"%s\\n\",\"stream\":\"stderr\"}\n"
              .formatted(line);
      Files.writeString(folder.resolve("pod-%d-json.log".formatted(rank)), text);
    }
    assertThat(json(folder)).isEqualTo(AnalyzeMain.UNKNOWN);
    assertThat(culprits()).isEqualTo("2");
    assertThat(evidence()).contains("how many ranks the job has: see --ranks");
    out.reset();
    assertThat(run("--json", "--ranks", "4", folder.toString())).isZero();
    assertThat(evidence()).doesNotContain("--ranks");
  }
}
