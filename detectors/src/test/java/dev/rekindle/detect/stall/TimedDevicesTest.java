package dev.rekindle.detect.stall;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.flightrecorder.Collective;
import dev.rekindle.detect.flightrecorder.Dump;
import dev.rekindle.detect.flightrecorder.DumpException;
import dev.rekindle.detect.flightrecorder.DumpReader;
import dev.rekindle.detect.flightrecorder.GroupProgress;
import dev.rekindle.detect.flightrecorder.ProcessGroup;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Recorders that time devices: which device has not come to what those of others stand in. */
class TimedDevicesTest {
  private static final int RANKS = 8;
  private static final ProcessGroup ALL =
      new ProcessGroup("0", "ALL", IntStream.range(0, RANKS).boxed().toList());
  private static final ProcessGroup PAIR = new ProcessGroup("1", "PP", List.of(0, 1));

  private final Map<Integer, Map<ProcessGroup, GroupProgress>> ranks = new HashMap<>();
  private long enqueued = 100;

  private static Collective pending(
      long sequence, String operation, boolean toPeer, long created, @Nullable Boolean begun) {
    return new Collective(sequence, operation, "[8]", toPeer, true, created, begun);
  }

  /** All ranks have enqueued collective 9, and 8 is over. */
  private void stands(int rank, @Nullable Boolean begun) {
    var operation = pending(9, "all_reduce", false, enqueued, begun);
    of(rank).put(ALL, new GroupProgress(9, 8, false, List.of(operation)));
  }

  private Map<ProcessGroup, GroupProgress> of(int rank) {
    return ranks.computeIfAbsent(rank, _ -> new HashMap<>());
  }

  private StallReport report() {
    List<Dump> dumps = new ArrayList<>();
    ranks.forEach((rank, groups) -> dumps.add(new Dump(rank, groups, 200)));
    return StallAnalysis.of(dumps, Set.of(), RANKS);
  }

  /** Of dumps that were all written then. */
  private StallReport report(long writtenMillis) {
    List<Dump> dumps = new ArrayList<>();
    ranks.forEach((rank, groups) -> dumps.add(new Dump(rank, groups, 200)));
    var moments = new Moments();
    dumps.forEach(dump -> moments.add(dump, TimeUnit.MILLISECONDS.toNanos(writtenMillis)));
    return StallAnalysis.of(dumps, Set.of(), Set.of(), RANKS, moments);
  }

  @Test
  void shouldNameTheRankWhoseDeviceHasNotComeThere() {
    for (int rank = 0; rank < RANKS; rank++) {
      stands(rank, rank != 5);
    }
    var report = report();
    assertThat(report.culprits())
        .containsExactly(
            new Culprit(
                5,
                "its device has not come to collective 9 (all_reduce) of ALL (group 0), in which"
                    + " those of others stand"));
    assertThat(report.stallClass()).isEqualTo(StallClass.DEVICE_OR_LINK);
    assertThat(report.confidence()).isEqualTo(Confidence.MEDIUM);
  }

  @Test
  void shouldNameNoRankWhereAllDevicesAreThere() {
    for (int rank = 0; rank < RANKS; rank++) {
      stands(rank, true);
    }
    assertThat(report().culprits()).isEmpty();
    assertThat(report().stallClass()).isEqualTo(StallClass.NETWORK);
  }

  /** A rank whose recorder times nothing may be there or not. */
  @Test
  void shouldNameNoRankWhoseRecorderTimesNothing() {
    for (int rank = 0; rank < RANKS; rank++) {
      stands(rank, rank == 5 ? null : true);
    }
    assertThat(report().culprits()).isEmpty();
    assertThat(report().stallClass()).isEqualTo(StallClass.NETWORK);
  }

  /** They may wait for each other, in what no recorder keeps. */
  @Test
  void shouldNameNoRankWhereTwoDevicesAreNotThere() {
    for (int rank = 0; rank < RANKS; rank++) {
      stands(rank, rank > 1);
    }
    var report = report();
    assertThat(report.culprits()).isEmpty();
    assertThat(report.stallClass()).isEqualTo(StallClass.UNKNOWN);
    assertThat(report.evidence().toString()).contains("the devices of ranks 0, 1 have not come");
  }

  /** Its device goes on: it has come to something behind the collective. */
  @Test
  void shouldNameNoRankWhoseDeviceHasComeToSomethingElse() {
    for (int rank = 0; rank < RANKS; rank++) {
      stands(rank, rank != 5);
    }
    of(5)
        .put(
            new ProcessGroup("2", "EP", List.of(5, 6)),
            new GroupProgress(2, 1, false, List.of(pending(2, "all_reduce", false, 150, true))));
    of(6)
        .put(
            new ProcessGroup("2", "EP", List.of(5, 6)),
            new GroupProgress(2, 1, false, List.of(pending(2, "all_reduce", false, 150, true))));
    assertThat(report().culprits()).isEmpty();
  }

  /** Its dump was written so shortly after its host enqueued that its device may still come. */
  @Test
  void shouldNameNoRankWhoseDumpIsNotLongAfter() {
    for (int rank = 0; rank < RANKS; rank++) {
      stands(rank, rank != 5);
    }
    assertThat(report(10_000).culprits()).extracting(Culprit::rank).containsExactly(5);
    assertThat(report(3_000).culprits()).isEmpty();
  }

  /** Two seconds before that of the others: they had not come to stand. */
  @Test
  void shouldNameNoRankWhoseDumpIsOfBeforeTheOthersCameToStand() {
    for (int rank = 0; rank < RANKS; rank++) {
      stands(rank, rank != 5);
    }
    enqueued = 9_500_000_000L;
    for (int rank = 0; rank < RANKS; rank++) {
      if (rank != 5) {
        stands(rank, true);
      }
    }
    assertThat(report(10_000).culprits()).isEmpty();
    assertThat(report(20_000).culprits()).extracting(Culprit::rank).containsExactly(5);
  }

  /** 0 has not come to the collective as its device stands in a receive before it. */
  @Test
  void shouldNameThePeerWhoseDeviceHasNotComeToItsHalf() {
    for (int rank = 0; rank < RANKS; rank++) {
      stands(rank, rank > 1);
    }
    of(0)
        .put(
            PAIR,
            new GroupProgress(-1, -1, false, List.of(pending(3, "recv 0<-1", true, 50, true))));
    of(1)
        .put(
            PAIR,
            new GroupProgress(-1, -1, false, List.of(pending(3, "send 1->0", true, 50, false))));
    var report = report();
    assertThat(report.culprits())
        .containsExactly(
            new Culprit(
                1,
                "its device has not come to send 1->0 3 of PP (group 1), in which those of others"
                    + " stand"));
    assertThat(report.confidence()).isEqualTo(Confidence.MEDIUM);
    of(1)
        .put(
            PAIR,
            new GroupProgress(-1, -1, false, List.of(pending(3, "send 1->0", true, 50, true))));
    assertThat(report().culprits()).as("both are there").isEmpty();
    assertThat(report().stallClass()).isEqualTo(StallClass.NETWORK);
  }

  /** A send that waits for a device that has not come to its receive. The host has enqueued it. */
  @Test
  void shouldSayThatItIsNotTheHostWhereOnlyPeersWait() {
    var two = new ProcessGroup("1", "PP", List.of(0, 1, 2, 3));
    of(0)
        .put(
            two,
            new GroupProgress(-1, -1, false, List.of(pending(3, "recv 0<-1", true, 50, true))));
    of(1)
        .put(
            two,
            new GroupProgress(-1, -1, false, List.of(pending(3, "send 1->0", true, 50, false))));
    for (int rank = 2; rank < 4; rank++) {
      of(rank).put(two, new GroupProgress(-1, -1, false, List.of()));
    }
    var dumps = new ArrayList<Dump>();
    ranks.forEach((rank, groups) -> dumps.add(new Dump(rank, groups, 200)));
    var report = StallAnalysis.of(dumps, Set.of(), 4);
    assertThat(report.culprits()).extracting(Culprit::rank).containsExactly(1);
    assertThat(report.stallClass()).isEqualTo(StallClass.DEVICE_OR_LINK);
  }

  private static Collective read(String entries, int started) throws DumpException {
    var text =
        """
        {"version": "2.10", "pg_config": {"0": {"name": "0", "desc": "d", "ranks": "[0, 1]"},
                                          "1": {"name": "1", "desc": "e", "ranks": "[0, 1]"}},
         "pg_status": {"0": {"last_enqueued_collective": 9, "last_started_collective": %d,
                             "last_completed_collective": 8}},
         "entries": [%s]}
        """
            .formatted(started, entries);
    var dump = new DumpReader().read(0, text.getBytes(StandardCharsets.UTF_8));
    return dump.groups().entrySet().stream()
        .filter(e -> e.getKey().name().equals("0"))
        .flatMap(e -> e.getValue().operations().stream())
        .filter(c -> c.sequence() == 9)
        .findFirst()
        .orElseThrow();
  }

  private static String entry(int record, int group, int sequence, String state, long started) {
    return """
    {"record_id": %d, "pg_id": %d, "process_group": ["%d", "%s"], "collective_seq_id": %d,
     "p2p_seq_id": 0, "profiling_name": "nccl:all_reduce", "time_created_ns": %d,
     "time_discovered_started_ns": %d, "state": "%s", "is_p2p": false}
    """
        .formatted(
            record, group, group, group == 0 ? "d" : "e", sequence, record + 1, started, state);
  }

  private static @Nullable Boolean begun(String state, long started, int group)
      throws DumpException {
    return read(entry(0, 0, 9, state, started), group).begun();
  }

  @Test
  void shouldReadWhetherTheDeviceHasCome() throws DumpException {
    assertThat(begun("scheduled", 0, -1)).as("not timed").isNull();
    assertThat(begun("scheduled", 0, 8)).isFalse();
    assertThat(begun("started", 0, -1)).isTrue();
    assertThat(begun("scheduled", 12, 8)).isTrue();
    assertThat(begun("completed", 12, 9)).as("over").isNull();
  }

  /** PyTorch turns timing on for one group or for all. */
  @Test
  void shouldKnowNothingOfAGroupThatIsNotTimed() throws DumpException {
    var other = entry(0, 1, 4, "started", 5) + ", ";
    assertThat(read(other + entry(1, 0, 9, "scheduled", 0), -1).begun()).isNull();
    var same = entry(0, 0, 8, "completed", 5) + ", ";
    assertThat(read(same + entry(1, 0, 9, "scheduled", 0), -1).begun()).isFalse();
  }

  /** What it has dropped may be pending: there the device may stand. */
  @Test
  void shouldNotKnowThatADeviceHasNotComeWhereTheRecorderMayHaveDroppedWhatIsPending()
      throws DumpException {
    assertThat(read(entry(7, 0, 9, "scheduled", 0), 8).begun()).isNull();
    assertThat(read(entry(7, 0, 9, "started", 5), 8).begun()).as("come").isTrue();
    var before = entry(6, 1, 4, "completed", 5) + ", ";
    assertThat(read(before + entry(7, 0, 9, "scheduled", 0), 8).begun()).isFalse();
  }
}
