package dev.rekindle.detect.stall;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.DumpState;
import dev.rekindle.api.RankEvidence.Group;
import dev.rekindle.api.RankEvidence.Line;
import dev.rekindle.api.RankEvidence.LineKind;
import dev.rekindle.api.RankEvidence.ProcessState;
import dev.rekindle.detect.ncclog.LogFact;
import dev.rekindle.detect.ncclog.LogFact.CollectiveMismatch;
import dev.rekindle.detect.ncclog.LogFact.CollectiveTimeout;
import dev.rekindle.detect.ncclog.LogFact.DeviceError;
import dev.rekindle.detect.ncclog.LogFact.DumpSignal;
import dev.rekindle.detect.ncclog.LogFact.GilStuck;
import dev.rekindle.detect.ncclog.LogFact.IbAsyncEvent;
import dev.rekindle.detect.ncclog.LogFact.IbCompletion;
import dev.rekindle.detect.ncclog.LogFact.PeerClosed;
import dev.rekindle.detect.ncclog.LogFact.PeersFailed;
import dev.rekindle.detect.ncclog.LogFact.RecorderOff;
import dev.rekindle.detect.ncclog.LogFact.RemoteError;
import dev.rekindle.detect.ncclog.LogFact.WatchdogStuck;
import dev.rekindle.detect.ncclog.LogFact.WorkCounters;
import dev.rekindle.detect.ncclog.LoggedGroup;
import dev.rekindle.detect.ncclog.LoggedLine;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What agents have read in logs, on its way to a verdict. */
class LineEvidenceTest {
  private static final Instant STEPPED = Instant.parse("2026-11-24T10:00:00Z");

  static Stream<LogFact> facts() {
    var group = new LoggedGroup("9", true, "default_pg", 7);
    return Stream.of(
        new CollectiveTimeout(group, 3, "ALLREDUCE", 600_001),
        new WorkCounters(group, 9, -1),
        new DumpSignal(group, 6, 9, 8),
        new WatchdogStuck(480),
        new GilStuck(),
        new RecorderOff(),
        new RemoteError(group, 3),
        new PeersFailed(List.of(1, 3)),
        new CollectiveMismatch(0, "ALLREDUCE of [20]", 1, "REDUCE"),
        new DeviceError("x"),
        new IbCompletion("gpu-1", "10.0.0.9", 12, "mlx5_1"),
        new IbAsyncEvent("gpu-1", "mlx5_1:1", true, "gone"),
        new PeerClosed("gpu-1", "gpu-2"));
  }

  @ParameterizedTest
  @MethodSource("facts")
  void shouldReadWhatItWrites(LogFact fact) throws JsonProcessingException {
    var json = new ObjectMapper().registerModule(new JavaTimeModule());
    var line = LineRecord.of(new LoggedLine(7, STEPPED, fact));
    var sent = json.readValue(json.writeValueAsString(line), Line.class);
    assertThat(sent).isEqualTo(line);
    assertThat(LineRecord.read(sent)).contains(fact);
  }

  @Test
  void shouldHaveALineOfEachKind() {
    assertThat(facts().map(fact -> LineRecord.of(new LoggedLine(7, STEPPED, fact)).kind()))
        .containsExactlyInAnyOrder(LineKind.values());
  }

  private static RankEvidence rank(int rank, int enqueued, List<Line> lines) {
    return new RankEvidence(
            "pod-" + rank,
            "uid-" + rank,
            rank,
            4,
            ProcessState.RUNNING,
            enqueued == 0 ? DumpState.NONE : DumpState.READ,
            enqueued == 0
                ? List.of()
                : List.of(new Group("0", "default_pg", "0-3", enqueued, 8, false, List.of())))
        .withLines(lines);
  }

  private static Line line(int after, LogFact fact) {
    return LineRecord.of(new LoggedLine(-1, STEPPED.plusSeconds(after), fact));
  }

  private static Line counters(int rank, long enqueued, long completed) {
    var group = new LoggedGroup("0", true, "default_pg", rank);
    return line(60, new WorkCounters(group, enqueued, completed));
  }

  private static StallReport of(List<RankEvidence> found) {
    return EvidenceAnalysis.of(found, 64, STEPPED);
  }

  private static List<Integer> named(StallReport report) {
    return report.culprits().stream().map(Culprit::rank).toList();
  }

  @Test
  void shouldNameARankByLinesWhereThereIsNoDump() {
    List<RankEvidence> found = new ArrayList<>();
    for (int rank = 0; rank < 4; rank++) {
      found.add(rank(rank, 0, List.of(counters(rank, 9, rank == 2 ? 7 : 8))));
    }
    var report = of(found);
    assertThat(named(report)).containsExactly(2);
    assertThat(report.stallClass()).isEqualTo(StallClass.DEVICE_OR_LINK);
    assertThat(report.confidence()).isEqualTo(Confidence.MEDIUM);
    found.replaceAll(r -> rank(r.rank(), 0, List.of(counters(r.rank(), 9, 8))));
    assertThat(of(found).culprits()).as("all have the same").isEmpty();
  }

  @Test
  void shouldBelieveDumpsFirstAndNoneWhereTheyDisagree() {
    List<RankEvidence> found = new ArrayList<>();
    for (int rank = 0; rank < 4; rank++) {
      found.add(rank(rank, rank == 2 ? 8 : 9, List.of()));
    }
    assertThat(named(of(found))).containsExactly(2);
    found.set(2, rank(2, 8, List.of(line(5, new WatchdogStuck(480)))));
    assertThat(named(of(found))).containsExactly(2);
    found.set(1, rank(1, 9, List.of(line(5, new DeviceError("x")))));
    var report = of(found);
    assertThat(report.culprits()).isEmpty();
    assertThat(report.stallClass()).isEqualTo(StallClass.UNKNOWN);
    assertThat(report.evidence())
        .contains("witnesses disagree: dumps name rank 2, logs name rank 1");
  }

  /**
   * A rank whose device stands need not show in dumps or counters, and the dump and the lines of
   * another one may be missing (seed 94310102).
   */
  @Test
  void shouldGuessOnlyWhereARankLacksItsDumpAndItsLines() {
    List<RankEvidence> found = new ArrayList<>();
    for (int rank = 0; rank < 4; rank++) {
      found.add(rank(rank, 9, List.of(counters(rank, 9, 8))));
    }
    var mute = rank(1, 0, List.of()).withDump(DumpState.MISSING);
    found.set(1, mute);
    var report = of(found);
    assertThat(named(report)).containsExactly(1);
    assertThat(report.confidence()).isEqualTo(Confidence.LOW);
    found.set(1, mute.withLines(List.of(line(5, new WatchdogStuck(480)))));
    assertThat(named(of(found))).containsExactly(1);
    assertThat(of(found).confidence()).as("it says so itself").isEqualTo(Confidence.MEDIUM);
  }

  /** An error that the job trained on after is of something else. */
  @Test
  void shouldPassOverLinesFromBeforeTheNewestStep() {
    List<RankEvidence> found = new ArrayList<>();
    for (int rank = 0; rank < 4; rank++) {
      found.add(rank(rank, 0, rank == 1 ? List.of(line(-11, new DeviceError("x"))) : List.of()));
    }
    assertThat(of(found).culprits()).isEmpty();
    found.set(1, rank(1, 0, List.of(line(-9, new DeviceError("x")))));
    assertThat(named(of(found))).containsExactly(1);
  }

  @Test
  void shouldNotHoldItAgainstARankThatNothingWasHeardOfIt() {
    List<RankEvidence> found = new ArrayList<>();
    for (int rank = 0; rank < 3; rank++) {
      found.add(rank(rank, 0, List.of(counters(rank, 9, 8))));
    }
    assertThat(named(of(found))).as("its log says nothing").containsExactly(3);
    assertThat(EvidenceAnalysis.ofSome(found, 64, STEPPED).culprits()).isEmpty();
  }

  @Test
  void shouldBelieveThatAProcessIsStoppedWhateverLinesSay() {
    List<RankEvidence> found = new ArrayList<>();
    for (int rank = 0; rank < 4; rank++) {
      found.add(rank(rank, 0, List.of(line(5, new PeersFailed(List.of(1))))));
    }
    assertThat(named(of(found))).containsExactly(1);
    found.set(
        2,
        new RankEvidence("pod-2", "uid-2", 2, 4, ProcessState.STOPPED, DumpState.NONE, List.of()));
    assertThat(named(of(found))).containsExactly(2);
  }

  /** A rank of its own pod each, at an address of its own, but where that is said otherwise. */
  private static RankEvidence at(int rank, String address, List<Line> lines) {
    return new RankEvidence(
            "pod-" + rank, "uid-" + rank, rank, 4, ProcessState.RUNNING, DumpState.NONE, List.of())
        .withLines(lines)
        .withAddresses(List.of("10.9.9." + rank, address));
  }

  private static Line unanswered(int by, String peer) {
    return line(5, new IbCompletion("pod-" + by, peer, 12, "mlx5_" + by));
  }

  @Test
  void shouldGuessTheRankAtAnAddressThatDoesNotAnswer() {
    List<RankEvidence> found = new ArrayList<>();
    for (int rank = 0; rank < 4; rank++) {
      var lines = rank < 2 ? List.of(unanswered(rank, "10.0.0.3")) : List.<Line>of();
      found.add(at(rank, "10.0.0." + rank, lines));
    }
    var report = of(found);
    assertThat(named(report)).containsExactly(3);
    assertThat(report.stallClass()).isEqualTo(StallClass.DEVICE_OR_LINK);
    assertThat(report.confidence()).isEqualTo(Confidence.LOW);
    assertThat(report.evidence())
        .contains(
            "pod-0, pod-1: no answer from 10.0.0.3 (rank 3) (IB status 12): that host or its link");

    found.set(2, at(2, "10.0.0.3", List.of()));
    assertThat(of(found).culprits()).as("two pods have that address").isEmpty();
    assertThat(of(found).stallClass()).isEqualTo(StallClass.DEVICE_OR_LINK);
    assertThat(of(found).evidence())
        .contains("pod-0, pod-1: no answer from 10.0.0.3 (IB status 12): that host or its link");
    found.set(2, at(2, "10.0.0.2", List.of()));
    found.set(1, at(1, "10.0.0.1", List.of()));
    assertThat(of(found).culprits()).as("one host says so").isEmpty();
  }
}
