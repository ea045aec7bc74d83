package dev.rekindle.detect.stall;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What {@code analyze} finds in dumps. */
class AnalyzeMainTest extends AnalyzeFixture {
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

  /** Dumps of a job are not of one moment: one was written three seconds before the others. */
  @Test
  void shouldNotTakeATrainingJobForAHangWhereOneDumpIsOlder() throws IOException {
    long now = 1_700_000_000L;
    for (int rank = 0; rank < 3; rank++) {
      long own = rank == 2 ? now - 3 : now;
      var file = dump("a_" + rank, rank == 2 ? 8 : 9, 8, TimeUnit.SECONDS.toNanos(own));
      Files.setLastModifiedTime(file, FileTime.from(own, TimeUnit.SECONDS));
    }
    assertThat(run(folder.toString())).isEqualTo(AnalyzeMain.UNKNOWN);
    assertThat(written()).contains("no hang");
  }

  /** Rank 1 was asked a minute before the others: it has joined since, for all that is known. */
  @Test
  void shouldPassOverADumpThatIsOlderThanTheHang() throws IOException {
    long now = 1_700_000_000L;
    dumpOf(0, 9, now, now + 60);
    dumpOf(1, 7, now - 60, now - 59);
    dumpOf(2, 8, now - 1, now + 60);
    assertThat(json(folder)).isZero();
    assertThat(object().get("culprits")).hasSize(1);
    assertThat(object().get("culprits").get(0).get("rank").asInt()).isEqualTo(2);
    assertThat(object().get("confidence").asText()).isEqualTo("medium");
    assertThat(object().get("evidence").toString())
        .contains("a_1: written 59 s before another rank enqueued its newest");
  }

  /** Copied last, taken first. */
  @Test
  void shouldTakeTheDumpThatHoldsTheNewestCollective() throws IOException {
    long now = 1_700_000_000L;
    dumpOf(0, 9, now, now + 60);
    dumpOf(1, 9, now, now + 60);
    dumpOf(2, 8, now, now + 60);
    var copy = dump("b_1", 3, 3, TimeUnit.SECONDS.toNanos(now - 100));
    Files.setLastModifiedTime(copy, FileTime.from(now + 90, TimeUnit.SECONDS));
    assertThat(json(folder)).isZero();
    assertThat(object().get("culprits")).hasSize(1);
    assertThat(object().get("culprits").get(0).get("rank").asInt()).isEqualTo(2);
    assertThat(object().get("evidence").toString()).contains("b_1: there is a newer dump");
  }

  /** Files of an archive that keeps no times. */
  @Test
  void shouldNotGoByTimesThatCannotBeTrue() throws IOException {
    dumpOf(0, 9, 1_700_000_000L, 1);
    dumpOf(1, 9, 1_700_000_000L, 1);
    dumpOf(2, 8, 1_700_000_000L, 1);
    assertThat(json(folder)).isZero();
    assertThat(object().get("culprits").get(0).get("rank").asInt()).isEqualTo(2);
  }

  private void dumpOf(int rank, int enqueued, long created, long written) throws IOException {
    var file =
        dump("a_" + rank, enqueued, Math.min(8, enqueued), TimeUnit.SECONDS.toNanos(created));
    Files.setLastModifiedTime(file, FileTime.from(written, TimeUnit.SECONDS));
  }

  @Test
  void shouldCountRanksThatHaveNoDumpAtAll() throws IOException {
    copy(SLOW, 0, 1, 3);
    assertThat(json(folder)).as("a guess is no name").isEqualTo(AnalyzeMain.UNKNOWN);
    assertThat(object().get("confidence").asText()).isEqualTo("low");
    assertThat(object().get("culprits").get(0).get("rank").asInt()).isEqualTo(2);
    assertThat(object().get("class").asText()).isEqualTo("host");
  }
}
