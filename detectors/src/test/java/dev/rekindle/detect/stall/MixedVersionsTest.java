package dev.rekindle.detect.stall;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Dumps of one job that recorders of different versions wrote, as after half of an upgrade. */
class MixedVersionsTest extends AnalyzeFixture {
  private static final int RANKS = 5;

  /**
   * Rank 3 has not joined collective 8. Minor versions add fields: up to 2.4 calls have no thread,
   * and up to 2.2 here groups have no counters, which follow from the calls then.
   */
  private void write(int rank, String version) throws IOException {
    int minor = Integer.parseInt(version.substring(2));
    int enqueued = rank == 3 ? 7 : 8;
    var status =
        """
        "pg_status": {"0": {"last_enqueued_collective": %d, "last_started_collective": -1,
                            "last_completed_collective": 7}},
        """
            .formatted(enqueued);
    var config =
        """
        "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1, 2, 3, 4]"}},
        """;
    var since =
        """
        "timeout_ms": 600000, "thread_id": "7", "thread_name": "main", "op_id": %d,
        """
            .formatted(enqueued);
    var text =
        """
        {"version": "%s", "%s": "2.27.3", %s %s "entries": [{"pg_id": 0, "process_group": ["0", "default_pg"],
          "collective_seq_id": %d, "p2p_seq_id": 0, %s "profiling_name": "nccl:all_reduce",
          "input_sizes": [[8]], "output_sizes": [[8]], "input_dtypes": ["Float"],
          "output_dtypes": ["Float"], "retired": %s, "time_created_ns": 1000000000,
          "state": "%s", "is_p2p": false}]}
        """
            .formatted(
                version,
                minor < 10 ? "nccl_version" : "comm_lib_version",
                config,
                minor <= 2 ? "" : status,
                enqueued,
                minor <= 4 ? "" : since,
                rank == 3,
                rank == 3 ? "completed" : "scheduled");
    Files.writeString(folder.resolve(NAME + rank), text);
  }

  private List<Integer> named() throws IOException {
    return object().get("culprits").valueStream().map(c -> c.get("rank").asInt()).toList();
  }

  /** A dump of each rank, by the versions of their recorders. */
  private void writeAll(String... versions) throws IOException {
    for (int rank = 0; rank < RANKS; rank++) {
      write(rank, versions[rank]);
    }
  }

  @Test
  void shouldNameTheRankAcrossVersionsWithTheSameCounters() throws IOException {
    writeAll("2.4", "2.9", "2.10", "2.11", "2.5");
    assertThat(json(folder)).as(errors()).isZero();
    assertThat(named()).containsExactly(3);
  }

  /** Nor are those of the old ones held against them. */
  @Test
  void shouldNameTheRankWhereSomeRecordersKeepNoCountersOfGroups() throws IOException {
    writeAll("2.2", "2.10", "2.4", "2.10", "2.1");
    assertThat(json(folder)).as(errors()).isZero();
    assertThat(named()).containsExactly(3);
    assertThat(object().get("confidence").asText()).isEqualTo("medium");
  }

  @Test
  void shouldNameTheRankThatHasTheOldestRecorder() throws IOException {
    writeAll("2.10", "2.10", "2.10", "2.2", "2.10");
    assertThat(json(folder)).as(errors()).isZero();
    assertThat(named()).containsExactly(3);
    assertThat(object().get("confidence").asText()).isEqualTo("medium");
  }

  /** A dump of an unknown version is left out, and reported. */
  @Test
  void shouldPassOverAVersionThatIsNotKnown() throws IOException {
    for (int rank = 0; rank < RANKS; rank++) {
      write(rank, rank == 1 ? "3.0" : "2.10");
    }
    assertThat(json(folder)).as(errors()).isZero();
    assertThat(named()).containsExactly(3);
    assertThat(object().get("confidence").asText()).isEqualTo("medium");
    assertThat(object().get("evidence").toString()).contains("version 3.0 of the dump");
  }
}
