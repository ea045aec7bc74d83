package dev.rekindle.detect.stall;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.flightrecorder.Collective;
import dev.rekindle.detect.flightrecorder.Dump;
import dev.rekindle.detect.flightrecorder.GroupProgress;
import dev.rekindle.detect.flightrecorder.ProcessGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StallAnalysisTest {
  private static final ProcessGroup ALL = new ProcessGroup("0", "default_pg", List.of(0, 1, 2, 3));

  private static StallReport of(Dump... dumps) {
    return StallAnalysis.of(List.of(dumps), Set.of(), 0);
  }

  private static Dump at(int rank, long enqueued, long completed) {
    return new Dump(rank, Map.of(ALL, new GroupProgress(enqueued, completed, false, List.of())), 0);
  }

  private static List<Integer> named(StallReport report) {
    return report.culprits().stream().map(Culprit::rank).toList();
  }

  @Test
  void shouldNameTheRankThatHasNotJoined() {
    var report = of(at(0, 9, 8), at(1, 9, 8), at(2, 8, 8), at(3, 9, 8));
    assertThat(named(report)).containsExactly(2);
    assertThat(report.stallClass()).isEqualTo(StallClass.HOST);
    assertThat(report.confidence()).isEqualTo(Confidence.HIGH);
  }

  @Test
  void shouldNotTakeAHostThatIsLessFarAheadForOneThatIsBehind() {
    var report = of(at(0, 12, 8), at(1, 9, 8), at(2, 10, 8), at(3, 12, 8));
    assertThat(report.culprits()).isEmpty();
    assertThat(report.stallClass()).isEqualTo(StallClass.NETWORK);
  }

  @Test
  void shouldNameTheRankWhoseDeviceDoesNotCompleteWhatTheOthersHave() {
    var report = of(at(0, 9, 9), at(1, 9, 9), at(2, 9, 8), at(3, 9, 9));
    assertThat(named(report)).containsExactly(2);
    assertThat(report.stallClass()).isEqualTo(StallClass.DEVICE_OR_LINK);
  }

  /**
   * The one that sends waits for all; a rank that has received is done, and waits for no other. In
   * an all-reduce, too, one that is stopped may have served some and not the others.
   */
  @ParameterizedTest
  @CsvSource({"broadcast, 3", "reduce, 3", "all_to_all, 3", "all_reduce, ", "reduce_scatter, "})
  void shouldNotTakeTheRootForItsDeviceWhereAMemberHasNoDump(
      String operation, @Nullable Integer named) {
    List<Dump> dumps = new ArrayList<>();
    for (int rank = 0; rank < 3; rank++) {
      long over = rank == 0 ? 8 : 9;
      var call = new Collective(9, operation, "", false, rank == 0, 0);
      dumps.add(new Dump(rank, Map.of(ALL, new GroupProgress(9, over, false, List.of(call))), 0));
    }
    var report = StallAnalysis.of(dumps, Set.of(), 0);
    assertThat(named(report)).isEqualTo(named == null ? List.of() : List.of(named));
    assertThat(report.confidence()).isEqualTo(Confidence.LOW);
  }

  /** Two wait for the third. Of two, the one that waits may be held up by itself. */
  @Test
  void shouldGuessAtTheOnlyRankOfThreeThatWroteNoDump() {
    var trio = new ProcessGroup("0", "default_pg", List.of(0, 1, 2));
    var waits = new GroupProgress(9, 8, false, List.of());
    var report =
        StallAnalysis.of(
            List.of(new Dump(0, Map.of(trio, waits), 0), new Dump(1, Map.of(trio, waits), 0)),
            Set.of(),
            3);
    assertThat(named(report)).containsExactly(2);
    assertThat(report.confidence()).isEqualTo(Confidence.LOW);
    var pair = new ProcessGroup("0", "default_pg", List.of(0, 1));
    assertThat(
            StallAnalysis.of(List.of(new Dump(0, Map.of(pair, waits), 0)), Set.of(), 2).culprits())
        .isEmpty();
  }

  @Test
  void shouldNameNoRankWhereNoRankWaits() {
    assertThat(of(at(0, 9, 9), at(1, 9, 9), at(2, 8, 8), at(3, 9, 9)).culprits()).isEmpty();
  }

  @Test
  void shouldNameNoRankWhereMostAreBehind() {
    assertThat(of(at(0, 9, 8), at(1, 8, 8), at(2, 8, 8), at(3, 8, 8)).culprits()).isEmpty();
    assertThat(of(at(0, 9, 9), at(1, 9, 8), at(2, 9, 8), at(3, 9, 9)).culprits()).isEmpty();
  }

  @Test
  void shouldNotCompareNumbersOfGroupsThatSendAndReceive() {
    var send = new Collective(3, "send 0->1", "", true, false, 0);
    List<Dump> dumps = new ArrayList<>();
    for (int rank = 0; rank < 4; rank++) {
      var progress = new GroupProgress(rank == 2 ? 8 : 9, 8, false, List.of(send));
      dumps.add(new Dump(rank, Map.of(ALL, progress), 0));
    }
    assertThat(StallAnalysis.of(dumps, Set.of(), 0).culprits()).isEmpty();
    assertThat(of(at(0, 12_000, 11_000), at(1, 9, 8), at(2, 8, 8), at(3, 9, 8)).culprits())
        .as("they do not count the same")
        .isEmpty();
  }

  @Test
  void shouldFollowAReceiveToTheRankThatHasNotSent() {
    var pipeline = new ProcessGroup("7", "PP", List.of(4, 6));
    var receive = new Collective(3, "recv 1<-0", "", true, true, 0);
    var waits = new Dump(6, Map.of(pipeline, new GroupProgress(3, 2, false, List.of(receive))), 0);
    var idle = new Dump(4, Map.of(pipeline, new GroupProgress(2, 2, false, List.of())), 0);
    var sends = new Collective(3, "send 0->1", "", true, true, 0);
    var sending = new Dump(4, Map.of(pipeline, new GroupProgress(3, 2, false, List.of(sends))), 0);

    assertThat(named(StallAnalysis.of(List.of(waits, idle), Set.of(), 0))).containsExactly(4);
    assertThat(StallAnalysis.of(List.of(waits, sending), Set.of(), 0).culprits()).isEmpty();
  }

  @Test
  void shouldNameAMissingRankOnlyWhereItsPeersWait() {
    assertThat(named(of(at(0, 9, 8), at(1, 9, 8), at(3, 9, 8)))).containsExactly(2);
    assertThat(of(at(0, 9, 9), at(1, 9, 9), at(3, 9, 9)).culprits()).isEmpty();
    assertThat(named(of(at(0, 9, 8), at(1, 8, 8), at(3, 9, 8))))
        .as("one that is behind is the better witness")
        .containsExactly(1);
    assertThat(
            StallAnalysis.of(List.of(at(0, 9, 8), at(1, 9, 8), at(3, 9, 8)), Set.of(2), 0)
                .culprits())
        .as("it has written a dump, which is torn")
        .isEmpty();
  }

  @Test
  void shouldCallDifferentCollectivesTheProgramsFaultAndNameTheFewer() {
    List<Dump> dumps = new ArrayList<>();
    for (int rank = 0; rank < 4; rank++) {
      var call = new Collective(9, "all_reduce", rank == 3 ? "[7]" : "[8]", false, true, 0);
      dumps.add(new Dump(rank, Map.of(ALL, new GroupProgress(9, 8, false, List.of(call))), 0));
    }
    var report = StallAnalysis.of(dumps, Set.of(), 0);
    assertThat(named(report)).containsExactly(3);
    assertThat(report.stallClass()).isEqualTo(StallClass.PROGRAM);

    var third = new Collective(9, "all_reduce", "[6]", false, true, 0);
    dumps.set(2, new Dump(2, Map.of(ALL, new GroupProgress(9, 8, false, List.of(third))), 0));
    assertThat(StallAnalysis.of(dumps, Set.of(), 0).culprits()).as("two of four").isEmpty();

    var two = StallAnalysis.of(dumps.subList(2, 4), Set.of(), 0);
    assertThat(two.culprits()).as("one against one").isEmpty();
    assertThat(two.stallClass()).isEqualTo(StallClass.PROGRAM);
  }

  @Test
  void shouldLetTheSizesOfAnAllToAllDiffer() {
    List<Dump> dumps = new ArrayList<>();
    for (int rank = 0; rank < 4; rank++) {
      var call = new Collective(9, "all_to_all", "[" + rank + "]", false, true, 0);
      dumps.add(new Dump(rank, Map.of(ALL, new GroupProgress(9, 8, false, List.of(call))), 0));
    }
    assertThat(StallAnalysis.of(dumps, Set.of(), 0).stallClass()).isEqualTo(StallClass.NETWORK);
  }

  @Test
  void shouldBoundTheEvidence() {
    var evidence = IntStream.range(0, 100).mapToObj(String::valueOf).toList();
    assertThat(new StallReport(List.of(), StallClass.UNKNOWN, Confidence.LOW, evidence).evidence())
        .hasSize(StallReport.MOST_EVIDENCE)
        .last()
        .isEqualTo("and 69 more");
  }

  /**
   * 300 played hangs of each kind: never another rank; the culprit always where one rank does not
   * come or does not get on, and most often where it calls something else (two of a group of two
   * are no majority).
   */
  @ParameterizedTest
  @CsvSource({
    "HOST, HOST, 300",
    "DEVICE, DEVICE_OR_LINK, 300",
    "MISMATCH, PROGRAM, 250",
    "NETWORK, NETWORK, 0"
  })
  void shouldNameTheCulpritAndNeverAnInnocentRank(
      Hang.Kind kind, StallClass stallClass, int atLeast) {
    int named = 0;
    for (int seed = 0; seed < 300; seed++) {
      var random = new Random(seed);
      int rows = 2 + random.nextInt(4);
      int columns = 2 + random.nextInt(4);
      int culprit = random.nextInt(rows * columns);
      var report = StallAnalysis.of(Hang.play(kind, culprit, rows, columns, random), Set.of(), 0);
      assertThat(report.stallClass()).as("seed %d: %s", seed, report).isEqualTo(stallClass);
      if (kind == Hang.Kind.NETWORK) {
        assertThat(report.culprits()).as("seed %d: %s", seed, report).isEmpty();
      } else {
        assertThat(named(report)).as("seed %d: %s", seed, report).isSubsetOf(culprit);
        named += report.culprits().size();
      }
    }
    assertThat(named).isGreaterThanOrEqualTo(atLeast);
  }

  /** A rank that stands and writes no dump: its peers wait with all others, and are no culprits. */
  @Test
  void shouldNameNoPeerOfARankWithoutADump() {
    int named = 0;
    for (int seed = 0; seed < 300; seed++) {
      var random = new Random(seed);
      int rows = 2 + random.nextInt(4);
      int columns = 2 + random.nextInt(4);
      int culprit = random.nextInt(rows * columns);
      var dumps = new ArrayList<>(Hang.play(Hang.Kind.HOST, culprit, rows, columns, random));
      dumps.removeIf(dump -> dump.rank() == culprit);
      var report = StallAnalysis.of(dumps, Set.of(), rows * columns);
      assertThat(named(report)).as("seed %d: %s", seed, report).isSubsetOf(culprit);
      assertThat(report.confidence()).isNotEqualTo(Confidence.HIGH);
      named += report.culprits().size();
      var unreadable = StallAnalysis.of(dumps, Set.of(culprit), rows * columns);
      assertThat(unreadable.culprits()).as("seed %d: %s", seed, unreadable).isEmpty();
    }
    assertThat(named).isGreaterThanOrEqualTo(270);
  }

  /** Others have not joined because they wait for the two between which nothing moves. */
  @Test
  void shouldNameNeitherEndOfWhatIsBetweenTwo() {
    var pair = new ProcessGroup("4", "DP", List.of(1, 3));
    var row = new ProcessGroup("1", "TP", List.of(0, 1));
    var other = new ProcessGroup("2", "TP", List.of(2, 3));
    var hangs = new GroupProgress(7, 6, false, List.of());
    var waits = new GroupProgress(5, 4, false, List.of());
    var behind = new GroupProgress(4, 4, false, List.of());
    var report =
        of(
            new Dump(0, Map.of(row, waits), 0),
            new Dump(1, Map.of(row, behind, pair, hangs), 0),
            new Dump(2, Map.of(other, waits), 0),
            new Dump(3, Map.of(other, behind, pair, hangs), 0));
    assertThat(report.culprits()).isEmpty();
    assertThat(report.stallClass()).isEqualTo(StallClass.NETWORK);
  }
}
