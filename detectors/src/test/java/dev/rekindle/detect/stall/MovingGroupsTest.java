package dev.rekindle.detect.stall;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.DumpState;
import dev.rekindle.api.RankEvidence.Group;
import dev.rekindle.api.RankEvidence.ProcessState;
import dev.rekindle.detect.flightrecorder.Collective;
import dev.rekindle.detect.flightrecorder.Dump;
import dev.rekindle.detect.flightrecorder.GroupProgress;
import dev.rekindle.detect.flightrecorder.ProcessGroup;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A group in which something was enqueued just before a dump says nothing of who is late. */
class MovingGroupsTest {
  private static final int RANKS = 4;
  private static final int LATE = 2;
  private static final Instant WRITTEN = Instant.parse("2026-01-01T00:00:00Z");

  /** One rank is a collective behind all others. */
  private static Group group(int rank, String name, @Nullable Long idleMillis) {
    long completed = rank == LATE ? 7 : 8;
    return new Group(
        name, "group-" + name, "0-3", completed + 1, completed, false, List.of(), idleMillis);
  }

  private static RankEvidence rank(int rank, ProcessState process, List<Group> groups) {
    return new RankEvidence(
        "pod-" + rank, "uid-" + rank, rank, RANKS, process, DumpState.READ, groups);
  }

  private static StallReport analyze(List<RankEvidence> found) {
    return EvidenceAnalysis.of(found, RANKS, Instant.EPOCH);
  }

  private static List<Integer> named(StallReport report) {
    return report.culprits().stream().map(Culprit::rank).toList();
  }

  /** Rank 1 enqueued its newest operation so long before its dump; the others stand. */
  private static StallReport withIdle(@Nullable Long idleMillis) {
    List<RankEvidence> found = new ArrayList<>();
    for (int rank = 0; rank < RANKS; rank++) {
      var group = rank == 1 ? group(rank, "0", idleMillis) : group(rank, "0", 40_000L);
      found.add(rank(rank, ProcessState.RUNNING, List.of(group)));
    }
    return analyze(found);
  }

  @Test
  void namesNoRankWhereTheJobTrainsAgain() {
    var report = withIdle(180L);
    assertThat(report.culprits()).isEmpty();
    assertThat(report.stallClass()).isEqualTo(StallClass.UNKNOWN);
    assertThat(report.evidence())
        .containsExactly(
            "group-0 (group 0) moves: rank 1 enqueued or completed an operation 180 ms before its"
                + " dump");
  }

  @ParameterizedTest
  @CsvSource({"4999,", "5000,2", "31000,2"})
  void looksAtTheLastSeconds(long idleMillis, @Nullable Integer culprit) {
    assertThat(named(withIdle(idleMillis)))
        .isEqualTo(culprit == null ? List.of() : List.of(culprit));
  }

  @Test
  void namesTheRankWhereTheTimeIsNotKnown() {
    assertThat(named(withIdle(null))).containsExactly(LATE);
  }

  @Test
  void leavesOutASideGroupThatMovesWhileTheTrainingStands() {
    List<RankEvidence> found = new ArrayList<>();
    for (int rank = 0; rank < RANKS; rank++) {
      boolean late = rank == 1;
      var beats = new Group("1", "beats", "0-3", late ? 90 : 91, 89, false, List.of(), 300L);
      found.add(rank(rank, ProcessState.RUNNING, List.of(group(rank, "0", 40_000L), beats)));
    }
    assertThat(named(analyze(found))).containsExactly(LATE);
  }

  @Test
  void namesAStoppedRankWhateverMoves() {
    List<RankEvidence> found = new ArrayList<>();
    for (int rank = 0; rank < RANKS; rank++) {
      var process = rank == 3 ? ProcessState.STOPPED : ProcessState.RUNNING;
      found.add(rank(rank, process, List.of(group(rank, "0", 10L))));
    }
    assertThat(named(analyze(found))).containsExactly(3);
  }

  @ParameterizedTest
  @CsvSource({"1200,1200", "0,0", "-20,0", "-21,"})
  void summaryHasTheTimeFromTheNewestOperationToTheDump(long millis, @Nullable Long idle) {
    long created = WRITTEN.minusMillis(millis).toEpochMilli() * 1_000_000;
    var old = created - Duration.ofSeconds(9).toNanos();
    var operations =
        List.of(
            new Collective(9, "all_reduce", "", false, true, created),
            new Collective(8, "all_reduce", "", false, false, old));
    assertThat(summary(operations).idleMillis()).isEqualTo(idle);
  }

  @Test
  void summaryHasNoTimeWhereOperationsHaveNone() {
    assertThat(summary(List.of(new Collective(9, "a", "", false, true, 0))).idleMillis()).isNull();
  }

  private static Group summary(List<Collective> operations) {
    var group = new ProcessGroup("0", "default_pg", List.of(0, 1));
    var dump = new Dump(0, Map.of(group, new GroupProgress(9, 8, false, operations)), 0);
    return DumpSummary.of(dump, WRITTEN).orElseThrow().getFirst();
  }
}
