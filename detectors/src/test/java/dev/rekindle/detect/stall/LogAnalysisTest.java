package dev.rekindle.detect.stall;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.ncclog.NcclLines;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Verdicts on lines as jobs print them; each rank has a log of its own unless it is said. */
class LogAnalysisTest {
  private static final String WORK =
      " ProcessGroupNCCL.cpp:1] [PG ID 0 PG GUID 0(default_pg) Rank ";

  private final List<LoggedFact> facts = new ArrayList<>();
  private final List<Integer> logs = new ArrayList<>();

  private void log(int rank, String... lines) {
    logs.add(rank);
    lines(rank, rank, lines);
  }

  private void lines(int source, int rank, String... lines) {
    for (var line : lines) {
      var read = NcclLines.read(line).orElseThrow();
      facts.add(
          new LoggedFact(
              read.rank() >= 0 ? read.rank() : rank,
              new LogOrder(source, facts.size(), read.millis()),
              read.fact()));
    }
  }

  private StallReport report(int worldSize) {
    return LogAnalysis.of(facts, logs, worldSize);
  }

  private static List<Integer> named(StallReport report) {
    return report.culprits().stream().map(Culprit::rank).toList();
  }

  private static String timeout(int rank, String time) {
    return "[rank%d]:[E626 %s%s%d] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=9,"
            .formatted(rank, time, WORK, rank)
        + " OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600001"
        + " milliseconds before timing out.";
  }

  private static String work(int rank, long enqueued, long completed) {
    return "[rank%d]:[E626 05:06:30.5%s%d] Timeout at NCCL work: %d, last enqueued NCCL work: %d,"
            .formatted(rank, WORK, rank, completed + 1, enqueued)
        + " last completed NCCL work: %d.".formatted(completed);
  }

  private static String signal(int rank, int from, long enqueued, long completed) {
    return "[rank%d]:[E626 05:06:31.5%s%d] Received a dump signal due to a collective timeout from "
            .formatted(rank, WORK, rank)
        + " rank %d and we will try our best to dump the debug info. Last enqueued NCCL work: %d,"
            .formatted(from, enqueued)
        + " last completed NCCL work: %d.".formatted(completed);
  }

  private static String stuck(int rank, String time) {
    return "[rank%d]:[F626 %s%s%d] ProcessGroupNCCL's watchdog got stuck for 480 seconds without"
            .formatted(rank, time, WORK, rank)
        + " making progress";
  }

  private static String cuda(int rank) {
    return "[rank%d]: RuntimeError: CUDA error: an illegal memory access".formatted(rank);
  }

  private static String completion(String host, String peer, int status, String hca) {
    return "%s:1:2 [0] net_ib.cc:1 NCCL WARN NET/IB : Got completion from peer %s<5> with status=%d"
            .formatted(host, peer, status)
        + " opcode=0 len=0 vendor err 129 (Recv) hca "
        + hca;
  }

  /** NVIDIA/nccl issue 1730. */
  @Test
  void shouldNameNoRankWhereAllHaveTheSameCounters() {
    for (int rank = 0; rank < 4; rank++) {
      log(rank, timeout(rank, "05:06:30.1"), work(rank, 2398578, 2398458));
    }
    var report = report(4);
    assertThat(report.culprits()).isEmpty();
    assertThat(report.confidence()).isEqualTo(Confidence.LOW);
    assertThat(report.evidence()).contains("4 ranks timed out");
  }

  /** LLaMA-Factory issue 6269. */
  @Test
  void shouldNameTheOnlyRankThatDidNotTimeOutAndOnlyWeakly() {
    for (int rank = 0; rank < 5; rank++) {
      log(rank, work(rank, 7755, 7752));
    }
    log(5);
    var report = report(6);
    assertThat(named(report)).containsExactly(5);
    assertThat(report.confidence()).isEqualTo(Confidence.LOW);
    assertThat(report.stallClass()).isEqualTo(StallClass.HOST);
    assertThat(report(0).culprits()).as("more ranks may be there").isEmpty();
    assertThat(report(7).culprits()).as("two did not").isEmpty();
  }

  /** OpenRLHF issue 1126. */
  @Test
  void shouldNotNameTheRankThatTimedOutFirst() {
    for (int rank = 0; rank < 6; rank++) {
      log(rank, signal(rank, 6, 460631, 460630));
    }
    log(6, timeout(6, "05:06:30.1"), work(6, 460631, 460630));
    log(7, signal(7, 6, 460631, 460630));
    assertThat(report(8).culprits()).isEmpty();
    assertThat(report(8).evidence()).contains("rank 6 timed out first, waiting for others");
  }

  @Test
  void shouldNameTheRankThatHasEnqueuedLessByWhatItLoggedOnTheSignal() {
    log(0, timeout(0, "05:06:30.1"), work(0, 100, 98));
    log(1, signal(1, 0, 98, 98));
    log(2, work(2, 99, 98));
    log(3, work(3, 99, 98));
    var report = report(4);
    assertThat(named(report)).containsExactly(1);
    assertThat(report.stallClass()).isEqualTo(StallClass.HOST);
    assertThat(report.confidence()).isEqualTo(Confidence.MEDIUM);
    assertThat(report.evidence()).anyMatch(line -> line.contains("rank 1 has enqueued 98"));
    assertThat(report(5).confidence()).as("one has logged nothing").isEqualTo(Confidence.LOW);
  }

  @Test
  void shouldNameTheRankThatHasCompletedLess() {
    log(0, work(0, 20538, 20536));
    log(1, work(1, 20538, 20529));
    log(2, work(2, 20538, 20536));
    log(3, work(3, 20538, 20536));
    var report = report(4);
    assertThat(named(report)).containsExactly(1);
    assertThat(report.stallClass()).isEqualTo(StallClass.DEVICE_OR_LINK);
  }

  /** Counters that go on while work is aborted are not those of the hang. */
  @Test
  void shouldTakeTheFirstCountersOfAHang() {
    for (int rank = 0; rank < 4; rank++) {
      log(rank, work(rank, 20, rank == 1 ? 9 : 12), work(rank, 20, rank == 2 ? 13 : 15));
    }
    assertThat(named(report(4))).containsExactly(1);
    facts.clear();
    for (int rank = 0; rank < 4; rank++) {
      log(rank, work(rank, 20, rank == 1 ? 9 : 12), work(rank, 7, rank == 2 ? 5 : 6));
    }
    assertThat(named(report(4))).as("the process was started anew").containsExactly(2);
  }

  /** VLM-R1 issue 257. */
  @Test
  void shouldNameARankWhoseWatchdogIsStuckWhereNoRankTimedOut() {
    lines(0, 6, stuck(6, "13:55:49.0"));
    var report = report(0);
    assertThat(named(report)).containsExactly(6);
    assertThat(report.stallClass()).isEqualTo(StallClass.HOST);
    assertThat(report.confidence()).isEqualTo(Confidence.LOW);
  }

  /** Snowflake ArcticTraining issue 219. */
  @Test
  void shouldNotNameARankWhoseWatchdogIsStuckAfterATimeOut() {
    log(2, timeout(2, "05:06:30.1"));
    log(5, stuck(5, "05:14:36.3"));
    log(7, stuck(7, "05:14:36.3"));
    assertThat(report(8).culprits()).isEmpty();
    facts.clear();
    log(2, timeout(2, "05:06:30.1"));
    log(5, stuck(5, "05:01:36.3"));
    assertThat(named(report(8))).as("it was before").containsExactly(5);
    facts.clear();
    log(2, timeout(2, "05:06:30.1").replaceFirst("626 05:06:30.1", ""));
    log(5, stuck(5, "05:01:36.3"));
    assertThat(report(8).culprits()).as("it is not known when").isEmpty();
  }

  @Test
  void shouldKnowThatNewYearIsAfterNewYearsEve() {
    log(2, timeout(2, "00:03:00.1").replace("E626", "E101"));
    log(5, stuck(5, "23:58:00.3").replace("F626", "F1231"));
    assertThat(named(report(8))).containsExactly(5);
  }

  @Test
  void shouldNameTheRanksThatDidNotComeToAMonitoredBarrier() {
    log(0, "[rank0]: RuntimeError: [Rank 0]: Ranks 1 failed to pass monitoredBarrier in 5000 ms");
    log(1, stuck(3, "05:01:36.3"));
    var report = report(4);
    assertThat(named(report)).containsExactly(1);
    assertThat(report.stallClass()).isEqualTo(StallClass.HOST);
    assertThat(report.confidence()).isEqualTo(Confidence.MEDIUM);
    facts.clear();
    log(0, "[Rank 0]: Ranks 1, 2, 3 failed to pass monitoredBarrier in 5000 ms");
    assertThat(report(4).culprits()).as("most ranks").isEmpty();
  }

  @Test
  void shouldNameTheRankWhoseDeviceFailedBeforeAnyTimeOut() {
    for (int rank = 0; rank < 8; rank++) {
      log(rank, rank == 3 ? cuda(3) : timeout(rank, "05:06:30.1"));
    }
    var report = report(8);
    assertThat(named(report)).containsExactly(3);
    assertThat(report.stallClass()).isEqualTo(StallClass.DEVICE_OR_LINK);
    assertThat(report.confidence()).isEqualTo(Confidence.MEDIUM);
    facts.clear();
    log(3, timeout(3, "05:06:30.1"), cuda(3));
    assertThat(report(8).culprits()).as("its context was torn down").isEmpty();
  }

  @Test
  void shouldNameNoRankWhereTheDevicesOfManyFailed() {
    for (int rank = 0; rank < 8; rank++) {
      log(rank, cuda(rank));
    }
    assertThat(report(8).culprits()).isEmpty();
    facts.clear();
    for (int rank = 7; rank >= 0; rank--) {
      lines(0, rank, cuda(rank));
    }
    assertThat(named(report(8))).as("one log shows which was first").containsExactly(7);
  }

  @Test
  void shouldCallDifferentCollectivesTheProgramsFault() {
    var form =
        "Detected mismatch between collectives on ranks. Rank %d is running collective:"
            + " CollectiveFingerPrint(OpType=%s), but Rank %d is running collective:"
            + " CollectiveFingerPrint(OpType=%s).";
    log(0, form.formatted(0, "ALLREDUCE", 1, "REDUCE"));
    assertThat(report(4).stallClass()).isEqualTo(StallClass.PROGRAM);
    assertThat(report(4).culprits()).as("one against one").isEmpty();
    log(2, form.formatted(2, "ALLREDUCE", 1, "REDUCE"));
    assertThat(named(report(4))).containsExactly(1);
    assertThat(report(4).evidence()).contains("rank 1 is running REDUCE");
  }

  @Test
  void shouldNotCompareGroupsWhoseNameIsNotTheirs() {
    var form =
        "[rank%d]:[E626 05:06:30.1 ProcessGroupNCCL.cpp:1] %s Timeout at NCCL work: 9, last"
            + " enqueued NCCL work: 9, last completed NCCL work: %d.";
    for (int rank = 0; rank < 4; rank++) {
      // Number 1 of each process: two groups of two.
      log(rank, form.formatted(rank, "[PG 1 Rank " + rank % 2 + "]", rank == 3 ? 7 : 8));
    }
    assertThat(report(4).culprits()).isEmpty();
    facts.clear();
    for (int rank = 0; rank < 4; rank++) {
      log(
          rank,
          form.formatted(rank, "[PG ID 1 PG GUID x Rank " + rank % 2 + "]", rank == 3 ? 7 : 8));
    }
    assertThat(report(4).culprits()).as("one name of two groups").isEmpty();
    facts.clear();
    for (int rank = 0; rank < 4; rank++) {
      log(rank, form.formatted(rank, "[PG ID 1 PG GUID x Rank " + rank + "]", rank == 3 ? 7 : 8));
    }
    assertThat(named(report(4))).containsExactly(3);
    for (int rank = 0; rank < 4; rank++) {
      log(
          rank,
          timeout(rank, "05:06:30.1")
              .replace("PG GUID 0(default_pg)", "PG GUID x")
              .replace("ALLREDUCE", "SEND"));
    }
    assertThat(report(4).culprits()).as("it counts sends").isEmpty();
  }

  @Test
  void shouldSuspectAHostThatOthersGetNoAnswerFromAndNameNoRank() {
    for (int node = 0; node < 3; node++) {
      log(node, completion("gpu-" + node, "10.0.0.9", 12, "mlx5_" + node));
    }
    log(3, completion("gpu-3", "10.0.0.1", 12, "mlx5_0"));
    var report = report(0);
    assertThat(report.culprits()).isEmpty();
    assertThat(report.stallClass()).isEqualTo(StallClass.DEVICE_OR_LINK);
    assertThat(report.evidence()).anyMatch(line -> line.contains("no answer from 10.0.0.9"));
    facts.clear();
    log(0, completion("gpu-0", "10.0.0.9", 12, "mlx5_1"), completion("gpu-0", "10.0.0.9", 12, "m"));
    assertThat(report(0).stallClass()).as("one host reports").isEqualTo(StallClass.UNKNOWN);
  }

  @Test
  void shouldSuspectNoHostThatFewOfManyReport() {
    for (int node = 0; node < 6; node++) {
      log(node, completion("gpu-" + node, "10.0.0." + node / 2, 12, "mlx5_" + node));
    }
    assertThat(report(0).stallClass()).isEqualTo(StallClass.UNKNOWN);
    assertThat(report(0).evidence()).hasSize(3);
  }

  @Test
  void shouldSuspectTheRailThatAllReportsAreOn() {
    for (int node = 0; node < 4; node++) {
      log(node, completion("gpu-" + node, "10.0.0." + (node + 1) % 4, 12, "mlx5_10"));
    }
    var report = report(0);
    assertThat(report.culprits()).isEmpty();
    assertThat(report.stallClass()).isEqualTo(StallClass.NETWORK);
    assertThat(report.evidence()).anyMatch(line -> line.contains("all on mlx5_10: a rail"));
  }

  @Test
  void shouldTakeAConnectionThatWasInErrorForNoWitness() {
    for (int node = 0; node < 3; node++) {
      log(node, completion("gpu-" + node, "10.0.0.9", 5, "mlx5_1"));
    }
    var report = report(0);
    assertThat(report.stallClass()).isEqualTo(StallClass.UNKNOWN);
    assertThat(report.evidence()).isEmpty();
  }

  @Test
  void shouldNameNoRankByATimeOutAlone() {
    log(2, timeout(2, "05:06:30.1"));
    assertThat(report(8).culprits()).isEmpty();
    assertThat(LogAnalysis.of(List.of(), List.of(), 8).culprits()).isEmpty();
  }

  @Test
  void shouldTakeAJobOfTenThousandRanks() {
    IntStream.range(0, 10_000)
        .forEach(
            rank -> log(rank, timeout(rank, "05:06:30.1"), work(rank, 99, rank == 77 ? 97 : 98)));
    var report = report(10_000);
    assertThat(named(report)).containsExactly(77);
    assertThat(report.evidence()).hasSizeLessThanOrEqualTo(StallReport.MOST_EVIDENCE);
  }
}
