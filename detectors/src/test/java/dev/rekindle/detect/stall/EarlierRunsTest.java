package dev.rekindle.detect.stall;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Dumps that a process of an earlier run has left, in files that were copied since. */
class EarlierRunsTest extends AnalyzeFixture {
  private static final int EARLIER = 0;
  private static final int LATER = 3600;

  /** Rank 5 hangs and writes none; in the run before, its dump was that of a victim. */
  @Test
  void shouldNameNoRankByTheDumpOfAnEarlierRun() throws IOException {
    for (int rank = 0; rank < 8; rank++) {
      write("_dump_" + rank, 8, (rank == 5 ? EARLIER : LATER) + rank % 2, rank == 5 ? 9 : 10);
    }
    copied();
    assertThat(json(folder)).isEqualTo(AnalyzeMain.UNKNOWN);
    assertThat(object().get("class").asText()).isEqualTo("unknown");
    assertThat(evidence()).contains("what the dump of rank 5 has completed others enqueued later");
  }

  /** That of a victim stood later in the run before than the job does now. */
  @Test
  void shouldNameTheRankThatHasNotJoinedInTheLaterRun() throws IOException {
    for (int rank = 0; rank < 8; rank++) {
      if (rank == 6) {
        write("_dump_" + rank, 8, EARLIER, 12, 11);
      } else {
        write("_dump_" + rank, 8, LATER, rank == 5 ? 8 : 9);
      }
    }
    copied();
    assertThat(json(folder)).isZero();
    assertThat(culprits()).isEqualTo("5");
  }

  /** One clock that is an hour ahead makes all others look like an earlier run. */
  @Test
  void shouldNotTakeAWrongClockForAnotherRun() throws IOException {
    for (int rank = 0; rank < 8; rank++) {
      write("_dump_" + rank, 8, rank == 6 ? LATER : EARLIER, rank == 5 ? 8 : 9);
    }
    copied();
    assertThat(json(folder)).isZero();
    assertThat(culprits()).isEqualTo("5");
  }

  private void copied() throws IOException {
    var now = FileTime.from(Instant.ofEpochSecond(20_000));
    try (var files = Files.list(folder)) {
      for (var file : files.toList()) {
        Files.setLastModifiedTime(file, now);
      }
    }
  }
}
