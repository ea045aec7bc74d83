package dev.rekindle.detect.stall;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.ras.RasAnswer;
import dev.rekindle.detect.ras.RasAnswer.Communicator;
import dev.rekindle.detect.ras.RasAnswer.Missing;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class RasFindingTest {
  private static final Set<Integer> SIX = Set.of(3, 5, 8, 13, 21, 30);

  /** The outermost communicator: all at {@code count}, but some that are one behind. */
  private static RasAnswer answer(int ranks, long count, Set<Integer> behind, Missing... missing) {
    Map<Integer, Long> counts = new TreeMap<>();
    for (int rank = 0; rank < ranks; rank++) {
      counts.put(rank, behind.contains(rank) ? count - 1 : count);
    }
    for (var rank : missing) {
      counts.remove(rank.rank());
    }
    return new RasAnswer(
        "2.28.7",
        "2026-11-24 10:00:00",
        List.of(
            new Communicator(
                "0xcf264af53edbe986",
                ranks,
                Map.of("AllReduce", counts),
                List.of(missing),
                Set.of())));
  }

  /** The page on RAS of NCCL's guide: a process that is dead. */
  @Test
  void shouldSuspectARankThatIsMissingInAllAnswers() {
    var dead = answer(32, 6650, Set.of(), new Missing(21, "172.16.64.213", 3487984, true));
    var finding = RasFinding.of(List.of(dead, dead, dead), 32);
    assertThat(finding.suspects()).containsExactly(21);
    assertThat(finding.lines())
        .containsExactly(
            "RAS: rank 21, process 3487984 on 172.16.64.213, is assumed dead in 3 answers");
    assertThat(RasFinding.of(List.of(dead, answer(32, 6650, Set.of())), 32).suspects()).isEmpty();
  }

  @Test
  void shouldSuspectFewRanksThatAreBehindWhileNothingMoves() {
    var stands = answer(32, 6650, SIX);
    assertThat(RasFinding.of(List.of(stands, stands, stands), 0).suspects())
        .containsExactlyInAnyOrderElementsOf(SIX);
    assertThat(RasFinding.of(List.of(stands), 0).suspects()).as("one look").isEmpty();
    var moves = RasFinding.of(List.of(stands, answer(32, 6700, Set.of(1))), 0);
    assertThat(moves.suspects()).isEmpty();
    assertThat(moves.lines()).anyMatch(line -> line.contains("made progress"));
    var many = answer(8, 641, Set.of(0, 1, 2, 3, 4, 5));
    assertThat(RasFinding.of(List.of(many, many), 0).suspects()).isEmpty();
  }

  @Test
  void shouldNotTakeRanksOfASmallerCommunicatorForGlobalOnes() {
    var small = answer(8, 6650, Set.of(3));
    var finding = RasFinding.of(List.of(small, small), 32);
    assertThat(finding.suspects()).isEmpty();
    assertThat(finding.lines()).anyMatch(line -> line.contains("of a communicator of 8"));
  }

  @Test
  void shouldNotUseAnswersOfAnotherJob() {
    var other = answer(32, 6650, SIX);
    var finding = RasFinding.of(List.of(other, other), 8);
    assertThat(finding.suspects()).isEmpty();
    assertThat(finding.lines())
        .containsExactly("RAS: not used: a communicator of 32 ranks is of another job");
  }

  @Test
  void shouldSayThatAVersionIsUnsafe() {
    var answer = new RasAnswer("2.27.7", "", List.of());
    assertThat(RasFinding.of(List.of(answer), 0).lines())
        .containsExactly("RAS: NCCL 2.27.7 is unsafe to query: it can crash the job");
  }
}
