package dev.rekindle.detect.stall;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.DumpState;
import dev.rekindle.api.RankEvidence.ProcessState;
import dev.rekindle.detect.flightrecorder.CallPattern;
import dev.rekindle.detect.flightrecorder.CallPattern.Departure;
import dev.rekindle.detect.flightrecorder.Collective;
import dev.rekindle.detect.flightrecorder.Dump;
import dev.rekindle.detect.flightrecorder.GroupProgress;
import dev.rekindle.detect.flightrecorder.ProcessGroup;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ranks that leave the order of their own calls; shapes of recorded hangs. */
class DepartedTest {
  private static final ProcessGroup ALL = new ProcessGroup("0", "default_pg", List.of(0, 1, 2, 3));
  private static final ProcessGroup PAIR = new ProcessGroup("2", "", List.of(2, 3));
  private static final CallPattern KEEPS = new CallPattern(3, null, 0);

  private static CallPattern left(int since) {
    return new CallPattern(3, new Departure("group 2", 19, "all_to_all", "all_reduce"), since);
  }

  private static GroupProgress at(long enqueued, long completed, Collective... calls) {
    return new GroupProgress(enqueued, completed, false, List.of(calls));
  }

  private static Dump dump(int rank, CallPattern pattern, Map<ProcessGroup, GroupProgress> groups) {
    return new Dump(rank, groups, 0, pattern);
  }

  private static List<Integer> named(StallReport report) {
    return report.culprits().stream().map(Culprit::rank).toList();
  }

  /** Rank 3 leaves out number 9 of all, and waits for rank 2 in the pair; rank 2 waits for it. */
  private static List<Dump> skips(CallPattern two, CallPattern three) {
    return List.of(
        dump(0, KEEPS, Map.of(ALL, at(9, 8))),
        dump(1, KEEPS, Map.of(ALL, at(9, 8))),
        dump(2, two, Map.of(ALL, at(9, 8), PAIR, at(18, 18))),
        dump(3, three, Map.of(ALL, at(8, 8), PAIR, at(19, 18))));
  }

  private static StallReport of(List<Dump> dumps) {
    return StallAnalysis.of(dumps, Set.of(), 4);
  }

  @Test
  void shouldNameTheRankThatLeftACollectiveOut() {
    var report = of(skips(KEEPS, left(1)));
    assertThat(named(report)).containsExactly(3);
    assertThat(report.stallClass()).isEqualTo(StallClass.PROGRAM);
    assertThat(report.confidence()).isEqualTo(Confidence.MEDIUM);
    assertThat(report.culprits().getFirst().reason())
        .isEqualTo(
            "called all_to_all in group 2, number 19, where its own earlier steps have all_reduce");
  }

  /** Each looks as late as the other one. */
  @Test
  void shouldNameNoneOfTwoThatWaitForEachOther() {
    for (var dumps :
        List.of(
            skips(CallPattern.UNKNOWN, CallPattern.UNKNOWN),
            skips(KEEPS, KEEPS),
            skips(CallPattern.UNKNOWN, left(1)),
            skips(left(1), left(1)))) {
      var report = of(dumps);
      assertThat(named(report)).isEmpty();
      assertThat(report.stallClass()).isEqualTo(StallClass.PROGRAM);
      assertThat(report.evidence().toString()).contains("ranks 2, 3 wait for each other");
    }
  }

  /** The dump that is not there may have left it as well. */
  @Test
  void shouldTrustNoOrderWhereADumpIsMissing() {
    var report = StallAnalysis.of(skips(KEEPS, left(1)), Set.of(), 5);
    assertThat(named(report)).isEmpty();
  }

  private static Collective call(long number, String name) {
    return new Collective(number, name, "[16]", false, true, 0);
  }

  private static List<Dump> differ(CallPattern two, CallPattern three) {
    return List.of(
        dump(0, KEEPS, Map.of(ALL, at(9, 8))),
        dump(1, KEEPS, Map.of(ALL, at(9, 8))),
        dump(2, two, Map.of(ALL, at(8, 8), PAIR, at(7, 6, call(7, "all_gather")))),
        dump(3, three, Map.of(ALL, at(8, 8), PAIR, at(7, 6, call(7, "all_reduce")))));
  }

  /** Of two neither is more than half. */
  @Test
  void shouldNameTheOneOfTwoThatCallsSomethingElseThanBefore() {
    assertThat(named(of(differ(KEEPS, KEEPS)))).isEmpty();
    assertThat(named(of(differ(KEEPS, left(1))))).containsExactly(3);
    assertThat(named(of(differ(left(1), KEEPS)))).containsExactly(2);
    assertThat(named(of(differ(left(1), left(1))))).isEmpty();
  }

  @Test
  void shouldNameNoneWhereMostCallWhatTheyDidNotCallBefore() {
    List<Dump> dumps =
        List.of(
            dump(0, KEEPS, Map.of(ALL, at(9, 8, call(9, "all_reduce")))),
            dump(1, left(1), Map.of(ALL, at(9, 8, call(9, "all_reduce")))),
            dump(2, KEEPS, Map.of(ALL, at(9, 8, call(9, "all_reduce")))),
            dump(3, KEEPS, Map.of(ALL, at(9, 8, call(9, "barrier")))));
    var report = of(dumps);
    assertThat(named(report)).isEmpty();
    assertThat(report.evidence().toString()).contains("witnesses disagree");
  }

  /** A rank that made one call too many long ago waits where all others are through. */
  @Test
  void shouldNotBelieveTheOnlyRankThatWaitsWhereItLeftTheOrderLongAgo() {
    var ofAll =
        List.of(
            dump(0, KEEPS, Map.of(ALL, at(9, 9))),
            dump(1, KEEPS, Map.of(ALL, at(9, 9))),
            dump(2, left(7), Map.of(ALL, at(9, 9), PAIR, at(17, 16))),
            dump(3, KEEPS, Map.of(ALL, at(9, 9), PAIR, at(16, 16))));
    assertThat(named(of(ofAll))).containsExactly(2);
  }

  /** It may have come first to an evaluation that rank 3 never comes to. */
  @Test
  void shouldNameNoneWhereTheOnlyRankThatWaitsLeftTheOrderLately() {
    var report =
        of(
            List.of(
                dump(0, KEEPS, Map.of(ALL, at(9, 9))),
                dump(1, KEEPS, Map.of(ALL, at(9, 9))),
                dump(2, left(2), Map.of(ALL, at(9, 9), PAIR, at(17, 16))),
                dump(3, KEEPS, Map.of(ALL, at(9, 9), PAIR, at(16, 16)))));
    assertThat(named(report)).isEmpty();
    assertThat(report.evidence().toString()).contains("witnesses disagree");
  }

  /** What agents send holds the order as well. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7})
  void shouldReachTheControllerWithTheEvidence(int since) {
    var dumps = skips(KEEPS, since == 0 ? KEEPS : left(since));
    var sent =
        EvidenceAnalysis.of(
            dumps.stream().map(DepartedTest::sent).toList(), SummaryFixture.RANKS, Instant.EPOCH);
    assertThat(sent.culprits()).isEqualTo(of(dumps).culprits());
    assertThat(named(sent)).isEqualTo(since == 0 ? List.of() : List.of(3));
  }

  private static RankEvidence sent(Dump dump) {
    return new RankEvidence(
            "pod",
            "uid-" + dump.rank(),
            dump.rank(),
            4,
            ProcessState.RUNNING,
            DumpState.READ,
            DumpSummary.of(dump, SummaryFixture.WRITTEN).orElseThrow())
        .withCalls(DumpSummary.calls(dump));
  }

  /** The root of a broadcast waits for rank 2, which has no dump; rank 1 is one further on. */
  @Test
  void shouldNotNameTheRootThatWaitsForARankWithoutADump() {
    var gloo = new ProcessGroup("0", "default_pg", List.of());
    var report =
        StallAnalysis.of(
            List.of(
                new Dump(0, Map.of(gloo, at(21, 20, call(21, "broadcast"))), 0),
                new Dump(1, Map.of(gloo, at(22, 21, call(22, "all_reduce"))), 0)),
            Set.of(),
            3);
    assertThat(named(report)).containsExactly(2);
    assertThat(report.confidence()).isEqualTo(Confidence.LOW);
  }
}
