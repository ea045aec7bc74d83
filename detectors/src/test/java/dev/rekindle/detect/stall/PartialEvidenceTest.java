package dev.rekindle.detect.stall;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.DumpState;
import dev.rekindle.api.RankEvidence.Group;
import dev.rekindle.api.RankEvidence.ProcessState;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Of some ranks nothing was heard yet. */
class PartialEvidenceTest {
  private static RankEvidence waits(int rank) {
    return new RankEvidence(
        "pod-" + rank,
        "uid-" + rank,
        rank,
        8,
        ProcessState.RUNNING,
        DumpState.READ,
        List.of(new Group("0", "default_pg", "0-7", 9, 8, false, List.of())));
  }

  /** Seven of eight wait; rank 3 is not among what was found. */
  private static List<RankEvidence> withoutRank3() {
    return IntStream.range(0, 8)
        .filter(rank -> rank != 3)
        .mapToObj(PartialEvidenceTest::waits)
        .toList();
  }

  @Test
  void shouldNameTheRankThatIsNotThereWhereAllWereInspected() {
    assertThat(EvidenceAnalysis.of(withoutRank3(), 64, Instant.EPOCH).culprits())
        .extracting(Culprit::rank)
        .containsExactly(3);
  }

  @Test
  void shouldHoldNothingAgainstARankThatWasNotHeardOf() {
    assertThat(EvidenceAnalysis.ofSome(withoutRank3(), 64, Instant.EPOCH).culprits()).isEmpty();
  }
}
