package dev.rekindle.detect.stall;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.flightrecorder.Collective;
import dev.rekindle.detect.flightrecorder.Dump;
import dev.rekindle.detect.flightrecorder.DumpException;
import dev.rekindle.detect.flightrecorder.DumpReader;
import dev.rekindle.detect.flightrecorder.GroupProgress;
import dev.rekindle.detect.flightrecorder.ProcessGroup;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A host that stands inside of a call, and one that is far ahead of its device. */
class HostInCallTest {
  private static final ProcessGroup PAIR = new ProcessGroup("0", "pp", List.of(0, 1));
  private static final long SECOND = 1_000_000_000L;

  /** As NCCL's recorder has a receive whose event has not been recorded yet. */
  private static Dump dump(String state, boolean retired, boolean last) throws DumpException {
    var call = entry(1, "nccl:recv 1<-0", state, retired, 5);
    var other = entry(2, "nccl:recv 1<-0", "completed", true, 6);
    var text =
        """
        {"version": "2.10",
         "pg_config": {"0": {"name": "0", "desc": "pp", "ranks": "[0, 1]"}},
         "pg_status": {"0": {"last_enqueued_collective": 0, "last_completed_collective": 0}},
         "entries": [%s]}
        """
            .formatted(last ? call : call + "," + other);
    return new DumpReader().read(1, text.getBytes(StandardCharsets.UTF_8));
  }

  private static String entry(int number, String name, String state, boolean retired, int at) {
    return """
    {"record_id": %d, "pg_id": 0, "process_group": ["0", "pp"], "collective_seq_id": 0,
     "p2p_seq_id": %d, "profiling_name": "%s", "state": "%s", "retired": %s,
     "is_p2p": true, "time_created_ns": %d}
    """
        .formatted(number, number, name, state, retired, at * SECOND);
  }

  @ParameterizedTest
  @CsvSource({
    "completed, false, true, 10, true",
    "completed, false, true, 9, false", // the watchdog may be late
    "completed, true, true, 60, false",
    "completed, false, false, 60, false", // the host has gone on since
    "scheduled, false, true, 6, true",
  })
  void anOperationThatIsNotRetiredInTimeIsPending(
      String state, boolean retired, boolean last, long writtenAt, boolean pending)
      throws DumpException {
    var dump = dump(state, retired, last).writtenAt(writtenAt * SECOND);
    var operations = dump.groups().values().iterator().next().operations();
    assertThat(operations).hasSize(last ? 1 : 2);
    assertThat(operations.stream().anyMatch(Collective::pending)).isEqualTo(pending);
  }

  @Test
  void theHalfOfARankThatIsFarAheadMayBeBehindWhatIsKept() {
    assertThat(awaitedWith(PeerWaits.MOST_PENDING - 1)).containsExactly(0);
    assertThat(awaitedWith(PeerWaits.MOST_PENDING)).isEmpty();
  }

  /**
   * Whom rank 1 waits for in a receive from rank 0, which has so much pending, and not its half.
   */
  private static Set<Integer> awaitedWith(int pending) {
    NavigableMap<Integer, Dump> dumps = new TreeMap<>();
    dumps.put(0, dump(0, others(pending)));
    dumps.put(1, dump(1, List.of(new Collective(3, "recv 1<-0", "", true, true, 0))));
    return PeerWaits.of(dumps, PendingOrder.of(dumps)).awaitedBy(1);
  }

  private static List<Collective> others(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> new Collective(9 + i, "recv 0<-1", "", true, true, 0))
        .toList();
  }

  private static Dump dump(int rank, List<Collective> operations) {
    return new Dump(rank, Map.of(PAIR, new GroupProgress(3, 2, false, operations)), 0);
  }
}
