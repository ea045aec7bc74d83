package dev.rekindle.detect.stall;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.DumpState;
import dev.rekindle.api.RankEvidence.Group;
import dev.rekindle.api.RankEvidence.ProcessState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Whether all ranks show that they train. */
class MovingJobTest {
  private static final int RANKS = 4;

  private static Group training(@Nullable Long idle) {
    return new Group("0", "default_pg", "0-3", 901, 900, false, List.of(), idle);
  }

  /** One that beats: few operations, always a new one. */
  private static Group beat() {
    return new Group("1", "beat", "0-3", 31, 31, false, List.of(), 200L);
  }

  private static RankEvidence rank(
      int rank, ProcessState process, DumpState dump, Group... groups) {
    return new RankEvidence(
        "pod-" + rank, "uid-" + rank, rank, RANKS, process, dump, Arrays.asList(groups));
  }

  private static List<RankEvidence> all(Group... groups) {
    List<RankEvidence> found = new ArrayList<>();
    for (int rank = 0; rank < RANKS; rank++) {
      found.add(rank(rank, ProcessState.RUNNING, DumpState.READ, groups));
    }
    return found;
  }

  private static boolean withLast(RankEvidence last) {
    List<RankEvidence> found = all(training(100L));
    found.set(RANKS - 1, last);
    return MovingJob.trains(found, RANKS);
  }

  @ParameterizedTest
  @CsvSource({"0,true", "4999,true", "5000,false", "31000,false", ",false"})
  void trainsWhereTheNewestOperationOfEachRankIsRecent(@Nullable Long idle, boolean trains) {
    assertThat(MovingJob.trains(all(training(idle)), RANKS)).isEqualTo(trains);
  }

  @Test
  void doesNotTrainWhereOnlyAGroupBesideTheTrainingMoves() {
    assertThat(MovingJob.trains(all(training(31_000L), beat()), RANKS)).isFalse();
    Group over = new Group("0", "default_pg", "0-3", 901, 901, false, List.of(), 31_000L);
    assertThat(MovingJob.trains(all(over, beat()), RANKS)).as("all wait on hosts").isFalse();
    assertThat(MovingJob.trains(all(training(100L), beat()), RANKS)).isTrue();
  }

  @Test
  void doesNotTrainWhereARankWaitsInAGroupThatStands() {
    Group stands = new Group("2", "pp", "0-3", 7, 6, false, List.of(), 31_000L);
    assertThat(MovingJob.trains(all(training(100L), stands), RANKS)).isFalse();
  }

  @ParameterizedTest
  @EnumSource(
      value = DumpState.class,
      names = {"NONE", "MISSING", "UNREADABLE"})
  void doesNotTrainWhereADumpIsMissing(DumpState dump) {
    assertThat(withLast(rank(3, ProcessState.RUNNING, dump))).isFalse();
  }

  @Test
  void doesNotTrainWhereARankIsStoppedOrClaimedTwiceOrTooHigh() {
    assertThat(withLast(rank(3, ProcessState.RUNNING, DumpState.READ, training(100L)))).isTrue();
    assertThat(withLast(rank(3, ProcessState.STOPPED, DumpState.READ, training(100L)))).isFalse();
    assertThat(withLast(rank(2, ProcessState.RUNNING, DumpState.READ, training(100L)))).isFalse();
    assertThat(withLast(rank(4, ProcessState.RUNNING, DumpState.READ, training(100L)))).isFalse();
    assertThat(MovingJob.trains(List.of(), RANKS)).isFalse();
    assertThat(MovingJob.trains(all(training(100L)).subList(0, 3), RANKS)).isFalse();
  }
}
