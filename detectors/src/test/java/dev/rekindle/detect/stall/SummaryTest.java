package dev.rekindle.detect.stall;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.DumpState;
import dev.rekindle.api.RankEvidence.ProcessState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What the controller makes of summaries. */
class SummaryTest extends SummaryFixture {
  private static List<Integer> named(StallReport report) {
    return report.culprits().stream().map(Culprit::rank).toList();
  }

  /** What is cut off a dump must not change the verdict. */
  @ParameterizedTest
  @EnumSource(Hang.Kind.class)
  void shouldNameWhomTheWholeDumpsName(Hang.Kind kind) {
    for (int seed = 0; seed < 200; seed++) {
      var random = new Random(seed);
      int rows = 2 + random.nextInt(3);
      int columns = 2 + random.nextInt(3);
      var dumps = Hang.play(kind, random.nextInt(rows * columns), rows, columns, random);
      var whole = StallAnalysis.of(dumps, Set.of(), 0);
      var sent =
          EvidenceAnalysis.of(
              dumps.stream().map(SummaryFixture::evidence).toList(), RANKS, Instant.EPOCH);
      assertThat(named(sent)).as("seed %d", seed).isEqualTo(named(whole));
      assertThat(sent.stallClass()).as("seed %d", seed).isEqualTo(whole.stallClass());
    }
  }

  @Test
  void shouldNameARankWhoseProcessIsStopped() {
    List<RankEvidence> found = new ArrayList<>();
    for (int rank = 0; rank < 4; rank++) {
      found.add(evidence(rank, ProcessState.RUNNING, DumpState.NONE));
    }
    assertThat(EvidenceAnalysis.of(found, RANKS, Instant.EPOCH).culprits()).isEmpty();
    found.set(2, evidence(2, ProcessState.STOPPED, DumpState.NONE));
    var report = EvidenceAnalysis.of(found, RANKS, Instant.EPOCH);
    assertThat(named(report)).containsExactly(2);
    assertThat(report.stallClass()).isEqualTo(StallClass.HOST);
    assertThat(report.confidence()).isEqualTo(Confidence.MEDIUM);
    for (int rank = 0; rank < 3; rank++) {
      found.set(rank, evidence(rank, ProcessState.STOPPED, DumpState.NONE));
    }
    assertThat(EvidenceAnalysis.of(found, RANKS, Instant.EPOCH).culprits())
        .as("most are stopped")
        .isEmpty();
  }

  /** Only of a rank that has a recorder is it known that it would have written a dump. */
  @ParameterizedTest
  @CsvSource({"MISSING, 3", "NONE,", "UNREADABLE,"})
  void shouldHoldAMissingDumpAgainstARankThatWasAsked(DumpState state, Integer culprit) {
    List<RankEvidence> found = new ArrayList<>();
    for (int rank = 0; rank < 3; rank++) {
      found.add(waits(rank, "0-3"));
    }
    found.add(evidence(3, ProcessState.RUNNING, state));
    assertThat(named(EvidenceAnalysis.of(found, RANKS, Instant.EPOCH)))
        .isEqualTo(culprit == null ? List.of() : List.of(culprit));
  }

  private static RankEvidence waits(int rank, String ranks) {
    var group = new RankEvidence.Group("0", "default_pg", ranks, 9, 8, false, List.of());
    return new RankEvidence(
        "pod", "uid", rank, 4, ProcessState.RUNNING, DumpState.READ, List.of(group));
  }

  @Test
  void shouldCountARankThatTwoPodsClaimForNeither() {
    List<RankEvidence> found = new ArrayList<>();
    for (int rank = 0; rank < 4; rank++) {
      found.add(evidence(rank, ProcessState.RUNNING, DumpState.NONE));
    }
    found.add(evidence(2, ProcessState.STOPPED, DumpState.NONE));
    assertThat(EvidenceAnalysis.of(found, RANKS, Instant.EPOCH).culprits()).isEmpty();
  }

  /** Ranks and sizes are from environments: a number must not make a list of its length. */
  @Test
  void shouldLeaveRanksThatTheJobCannotHave() {
    var found =
        List.of(
            waits(0, "0-3"),
            waits(1, "0-3"),
            new RankEvidence("p", "u", 2, 999_999, ProcessState.RUNNING, DumpState.NONE, List.of()),
            evidence(999_999, ProcessState.STOPPED, DumpState.NONE));
    var report = EvidenceAnalysis.of(found, RANKS, Instant.EPOCH);
    assertThat(report.culprits()).isEmpty();
    assertThat(report.evidence()).allSatisfy(line -> assertThat(line).doesNotContain("999"));
  }
}
