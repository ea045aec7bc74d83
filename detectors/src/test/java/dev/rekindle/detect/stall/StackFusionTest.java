package dev.rekindle.detect.stall;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.MainThread;
import dev.rekindle.api.RankActivity;
import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.DumpState;
import dev.rekindle.api.RankEvidence.Frame;
import dev.rekindle.api.RankEvidence.Group;
import dev.rekindle.api.RankEvidence.ProcessState;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What stacks of three and four ranks add to dumps and processor time. */
class StackFusionTest {
  private static final Frame REDUCE =
      new Frame("all_reduce", "torch/distributed/distributed_c10d.py", 2806);
  private static final Frame LOAD = new Frame("_next_data", "torch/utils/data/dataloader.py", 733);
  private static final Frame OWN = new Frame("augment", "train.py", 41);

  private static RankEvidence rank(int rank, int ranks, long enqueued, boolean spins, Frame frame) {
    int used = spins ? 500 : 0;
    return new RankEvidence(
            "pod-" + rank,
            "uid-" + rank,
            rank,
            ranks,
            ProcessState.RUNNING,
            enqueued == 0 ? DumpState.NONE : DumpState.READ,
            enqueued == 0
                ? List.of()
                : List.of(
                    new Group(
                        "0", "default_pg", "0-" + (ranks - 1), enqueued, 8, false, List.of())))
        .withActivity(
            new RankActivity(
                500, used, used, 0, spins ? MainThread.RUNNING : MainThread.SLEEPING, 30, 0))
        .withStack(List.of(frame));
  }

  private static StallReport of(List<RankEvidence> found) {
    return EvidenceAnalysis.of(found, 64, Instant.EPOCH);
  }

  private static List<Integer> named(StallReport report) {
    return report.culprits().stream().map(Culprit::rank).toList();
  }

  /** A job that sets nothing: no recorder, no pipe, no log. */
  @Test
  void shouldNameTheRankThatLoadsWhereThereIsNothingButStacks() {
    var report =
        of(
            IntStream.range(0, 3)
                .mapToObj(r -> rank(r, 3, 0, false, r == 1 ? LOAD : REDUCE))
                .toList());
    assertThat(named(report)).containsExactly(1);
    assertThat(report.confidence()).isEqualTo(Confidence.MEDIUM);
    assertThat(report.stallClass()).isEqualTo(StallClass.HOST);
    assertThat(report.evidence().getFirst())
        .isEqualTo("rank 1 is in _next_data (torch/utils/data/dataloader.py:733)");
  }

  @Test
  void shouldBeSurerWhereProcessorTimeAndStacksSingleOutTheSameRank() {
    var alone =
        of(
            IntStream.range(0, 4)
                .mapToObj(r -> rank(r, 4, 0, false, r == 3 ? OWN : REDUCE))
                .toList());
    assertThat(named(alone)).containsExactly(3);
    assertThat(alone.confidence()).isEqualTo(Confidence.LOW);
    var both =
        of(
            IntStream.range(0, 4)
                .mapToObj(r -> rank(r, 4, 0, r == 3, r == 3 ? OWN : REDUCE))
                .toList());
    assertThat(named(both)).containsExactly(3);
    assertThat(both.confidence()).isEqualTo(Confidence.MEDIUM);
  }

  @Test
  void shouldNameNoRankWhereProcessorTimeAndStacksDisagree() {
    var report =
        of(
            IntStream.range(0, 4)
                .mapToObj(r -> rank(r, 4, 0, r == 2, r == 3 ? LOAD : REDUCE))
                .toList());
    assertThat(named(report)).isEmpty();
    assertThat(report.evidence())
        .contains("witnesses disagree: rank 2 named, rank 3 singled out by Python stacks");
  }

  /** A host may load its next batch while its device waits. */
  @Test
  void shouldNotTakeARankThatWaitsByItsDumpForTheOneThatLoads() {
    var report =
        of(
            IntStream.range(0, 4)
                .mapToObj(r -> rank(r, 4, r == 2 ? 8 : 9, false, r == 3 ? LOAD : REDUCE))
                .toList());
    assertThat(named(report)).containsExactly(2);
    assertThat(report.confidence()).isEqualTo(Confidence.HIGH);
    assertThat(report.evidence().getFirst()).startsWith("rank 2 is in all_reduce");
  }

  /** Over Gloo a rank whose stack could not be read may wait in a receive. */
  @Test
  void shouldOnlyGuessAtARankWithoutAStackWhereOthersHaveOne() {
    var gloo = new RankEvidence.Operation(8, "all_reduce", "", false, false);
    List<RankEvidence> found =
        IntStream.range(0, 3)
            .mapToObj(
                r ->
                    new RankEvidence(
                            "pod-" + r,
                            "uid-" + r,
                            r,
                            3,
                            ProcessState.RUNNING,
                            DumpState.READ,
                            List.of(
                                new Group(
                                    "0",
                                    "default_pg",
                                    "",
                                    r == 2 ? 8 : 9,
                                    8,
                                    false,
                                    List.of(gloo))))
                        .withStack(r == 2 ? List.of() : List.of(REDUCE)))
            .toList();
    var report = of(found);
    assertThat(named(report)).containsExactly(2);
    assertThat(report.confidence()).isEqualTo(Confidence.LOW);
  }

  /** Over Gloo no dump shows a receive: rank 2 looks as if it had not come. */
  @Test
  void shouldNotNameARankThatHasNotJoinedBecauseItReceives() {
    var receive = new Frame("recv", "torch/distributed/distributed_c10d.py", 3697);
    var report =
        of(
            IntStream.range(0, 3)
                .mapToObj(r -> rank(r, 3, r == 2 ? 8 : 9, false, r == 2 ? receive : REDUCE))
                .toList());
    assertThat(named(report)).isEmpty();
    assertThat(report.stallClass()).isEqualTo(StallClass.UNKNOWN);
    assertThat(report.evidence().getFirst())
        .isEqualTo(
            "rank 2 waits for a peer in recv (torch/distributed/distributed_c10d.py:3697):"
                + " not named");
  }

  /** As recorded over NCCL: the host stands in the call until its peer comes to connect. */
  @ParameterizedTest
  @ValueSource(strings = {"irecv", "isend"})
  void shouldNotNameARankWhoseHostStandsInsideOfACallToOnePeer(String call) {
    var inside = new Frame(call, "torch/distributed/distributed_c10d.py", 2597);
    var report =
        of(
            IntStream.range(0, 3)
                .mapToObj(r -> rank(r, 3, r == 2 ? 8 : 9, false, r == 2 ? inside : REDUCE))
                .toList());
    assertThat(report.culprits()).isEmpty();
    assertThat(report.confidence()).isEqualTo(Confidence.LOW);
  }

  /** Two of five have not come; one of them because it sends to the other. */
  @Test
  void shouldStillNameTheRankThatReceivesNothingAndHasNotJoined() {
    var send = new Frame("send", "torch/distributed/distributed_c10d.py", 2642);
    var report =
        of(
            IntStream.range(0, 5)
                .mapToObj(
                    r -> rank(r, 5, r < 2 ? 8 : 9, false, r == 0 ? send : r == 1 ? OWN : REDUCE))
                .toList());
    assertThat(named(report)).containsExactly(1);
    assertThat(report.stallClass()).isEqualTo(StallClass.HOST);
  }

  @Test
  void shouldShowWhereAStoppedRankStands() {
    RankEvidence one = rank(1, 2, 0, false, OWN);
    RankEvidence stopped = one.withProcess(ProcessState.STOPPED);
    var report = of(List.of(rank(0, 2, 0, false, REDUCE), stopped));
    assertThat(named(report)).containsExactly(1);
    assertThat(report.evidence().getFirst()).isEqualTo("rank 1 is in augment (train.py:41)");
  }

  /** Its dump shows that it has joined what its peers have not. */
  @Test
  void shouldNotNameARankWhoseDumpShowsThatItWaits() {
    var found =
        IntStream.range(0, 4)
            .mapToObj(r -> rank(r, 4, r == 3 ? 9 : 8, false, r == 3 ? LOAD : REDUCE))
            .toList();
    assertThat(named(of(found))).doesNotContain(3);
  }
}
