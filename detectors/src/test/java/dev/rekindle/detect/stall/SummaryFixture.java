package dev.rekindle.detect.stall;

import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.DumpState;
import dev.rekindle.api.RankEvidence.ProcessState;
import dev.rekindle.detect.flightrecorder.Collective;
import dev.rekindle.detect.flightrecorder.Dump;
import dev.rekindle.detect.flightrecorder.GroupProgress;
import dev.rekindle.detect.flightrecorder.ProcessGroup;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** What agents send of a dump. */
abstract class SummaryFixture {
  static final int RANKS = 64;

  /** Long after the collectives of its dumps. */
  static final Instant WRITTEN = Instant.EPOCH.plusSeconds(86_400);

  static RankEvidence evidence(int rank, ProcessState process, DumpState dump) {
    return new RankEvidence("pod-" + rank, "uid-" + rank, rank, 0, process, dump, List.of());
  }

  static RankEvidence evidence(Dump dump) {
    return new RankEvidence(
        "pod",
        "uid-" + dump.rank(),
        dump.rank(),
        0,
        ProcessState.RUNNING,
        DumpState.READ,
        DumpSummary.of(dump, WRITTEN).orElseThrow());
  }

  static Dump dump(ProcessGroup group, List<Collective> operations) {
    return new Dump(0, Map.of(group, new GroupProgress(9, 8, false, operations)), 0);
  }
}
