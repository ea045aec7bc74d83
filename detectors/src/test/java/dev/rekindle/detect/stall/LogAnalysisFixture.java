package dev.rekindle.detect.stall;

import dev.rekindle.detect.ncclog.NcclLines;
import java.util.ArrayList;
import java.util.List;

/** Verdicts on lines as jobs print them; each rank has a log of its own unless it is said. */
abstract class LogAnalysisFixture {
  static final String WORK = " ProcessGroupNCCL.cpp:1] [PG ID 0 PG GUID 0(default_pg) Rank ";
  final List<LoggedFact> facts = new ArrayList<>();
  final List<Integer> logs = new ArrayList<>();

  void log(int rank, String... lines) {
    logs.add(rank);
    lines(rank, rank, lines);
  }

  void lines(int source, int rank, String... lines) {
    for (var line : lines) {
      var read = NcclLines.read(line).orElseThrow();
      facts.add(
          new LoggedFact(
              read.rank() >= 0 ? read.rank() : rank,
              new LogOrder(source, facts.size(), read.millis()),
              read.fact()));
    }
  }

  StallReport report(int worldSize) {
    return LogAnalysis.of(facts, logs, worldSize);
  }

  static List<Integer> named(StallReport report) {
    return report.culprits().stream().map(Culprit::rank).toList();
  }

  static String timeout(int rank, String time) {
    return "[rank%d]:[E626 %s%s%d] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=9,"
            .formatted(rank, time, WORK, rank)
        + " OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600001"
        + " milliseconds before timing out.";
  }

  static String work(int rank, long enqueued, long completed) {
    return "[rank%d]:[E626 05:06:30.5%s%d] Timeout at NCCL work: %d, last enqueued NCCL work: %d,"
            .formatted(rank, WORK, rank, completed + 1, enqueued)
        + " last completed NCCL work: %d.".formatted(completed);
  }
}
