package dev.rekindle.detect.stall;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.DumpState;
import dev.rekindle.api.RankEvidence.ProcessState;
import java.util.List;
import org.junit.jupiter.api.Test;

class CompilingRankTest {
  private static final int RANKS = 4;

  private static RankEvidence rank(int rank) {
    return new RankEvidence(
        "pod-" + rank, "uid", rank, RANKS, ProcessState.RUNNING, DumpState.NONE, List.of());
  }

  private static RankEvidence compiling(int rank) {
    return rank(rank).withCompiles(true);
  }

  @Test
  void shouldBeTheFirstOfThoseThatCompile() {
    assertThat(CompilingRank.of(List.of(rank(0), compiling(3), compiling(2)), RANKS)).hasValue(2);
  }

  @Test
  void shouldBeNoneWhereNoRankCompiles() {
    assertThat(CompilingRank.of(List.of(), RANKS)).isEmpty();
    assertThat(CompilingRank.of(List.of(rank(0), rank(1)), RANKS)).isEmpty();
    assertThat(CompilingRank.of(List.of(compiling(RANKS)), RANKS)).as("no such rank").isEmpty();
  }

  /** Its peer does not come back by itself, however long the other one compiles. */
  @Test
  void shouldBeNoneWhereAProcessIsStopped() {
    assertThat(
            CompilingRank.of(
                List.of(compiling(0), rank(1).withProcess(ProcessState.STOPPED)), RANKS))
        .isEmpty();
  }
}
