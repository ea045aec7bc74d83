package dev.rekindle.detect.flightrecorder;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Dumps of Gloo, whose threads end the collectives of a group in any order. */
class GlooOrderTest {
  private final List<String> entries = new ArrayList<>();

  private void call(String name, boolean peer, int number, boolean retired) {
    entries.add(
        """
        {"record_id": %d, "pg_id": 0, "process_group": ["0", "default_pg"], "is_p2p": %s,
         "collective_seq_id": %d, "p2p_seq_id": %d, "profiling_name": "%s", "state": "scheduled",
         "retired": %s}
        """
            .formatted(entries.size(), peer, number, number, name, retired));
  }

  private Dump read(int enqueued, int completed) throws DumpException {
    var text =
        """
        {"version": "2.10", "pg_config": {}, "entries": [%s],
         "pg_status": {"0": {"last_enqueued_collective": %d, "last_completed_collective": %d}}}
        """
            .formatted(String.join(",", entries), enqueued, completed);
    return new DumpReader().read(0, text.getBytes(StandardCharsets.UTF_8));
  }

  private static GroupProgress progress(Dump dump) {
    return dump.groups().values().iterator().next();
  }

  /** Number 14 has ended before number 13, and its thread wrote the status. */
  @Test
  void shouldWaitInTheFirstThatIsPending() throws DumpException {
    call("gloo:barrier", false, 13, false);
    call("gloo:all_reduce", false, 14, true);
    assertThat(progress(read(14, 14)).completed()).isEqualTo(12);
  }

  /** NCCL's status is right: parts of a coalesced collective stay pending in its entries. */
  @Test
  void shouldBelieveTheStatusOfNccl() throws DumpException {
    call("nccl:barrier", false, 13, false);
    call("nccl:all_reduce", false, 14, true);
    assertThat(progress(read(14, 14)).completed()).isEqualTo(14);
  }

  /** The recorder has a call before the status of its group counts it. */
  @Test
  void shouldCountWhatTheEntriesHaveEnqueued() throws DumpException {
    call("nccl:all_reduce", false, 13, true);
    call("nccl:all_reduce", false, 14, false);
    assertThat(progress(read(13, 13)).enqueued()).isEqualTo(14);
  }

  @Test
  void shouldSeeWhichCallsRepeat() throws DumpException {
    for (int step = 0; step < 4; step++) {
      call("gloo:all_reduce", false, 2 * step + 1, true);
      call("gloo:barrier", false, 2 * step + 2, true);
    }
    assertThat(read(8, 8).pattern()).isEqualTo(new CallPattern(2, null, 0));
    call("gloo:barrier", false, 9, false);
    var left = read(9, 8).pattern();
    assertThat(left.leftLately()).isTrue();
    assertThat(Objects.requireNonNull(left.departure()).usual()).isEqualTo("all_reduce");
  }

  /** The peer of a receive may be the one that has left its half out. */
  @Test
  void shouldNotTakeAReceiveForADeparture() throws DumpException {
    for (int number = 1; number <= 8; number++) {
      call("nccl:all_reduce", false, number, true);
    }
    call("nccl:recv 0<-1", true, 1, false);
    assertThat(read(8, 8).pattern()).isEqualTo(new CallPattern(1, null, 0));
  }
}
