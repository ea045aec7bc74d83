package dev.rekindle.detect.stall;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Verdicts on watchdogs and time-outs. */
class LogAnalysisTest extends LogAnalysisFixture {
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
  void shouldNotNameARankThatWaitsByItsDump() {
    log(0, work(0, 14, 13));
    log(1, work(1, 13, 13));
    log(2, work(2, 14, 13));
    assertThat(named(report(3))).containsExactly(1);
    var report = LogAnalysis.of(facts, logs, 3, Map.of(), Set.of(1));
    assertThat(report.culprits()).isEmpty();
    assertThat(report.evidence()).contains("the dump of rank 1 shows that it waits for others");
  }

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
