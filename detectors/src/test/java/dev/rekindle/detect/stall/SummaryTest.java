package dev.rekindle.detect.stall;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.DumpState;
import dev.rekindle.api.RankEvidence.ProcessState;
import dev.rekindle.detect.flightrecorder.Collective;
import dev.rekindle.detect.flightrecorder.Dump;
import dev.rekindle.detect.flightrecorder.GroupProgress;
import dev.rekindle.detect.flightrecorder.ProcessGroup;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What agents send of a dump, and what the controller makes of it. */
class SummaryTest {
  private static final int RANKS = 64;

  /** Long after the collectives of its dumps. */
  private static final Instant WRITTEN = Instant.EPOCH.plusSeconds(86_400);

  private static RankEvidence evidence(int rank, ProcessState process, DumpState dump) {
    return new RankEvidence("pod-" + rank, "uid-" + rank, rank, 0, process, dump, List.of());
  }

  private static RankEvidence evidence(Dump dump) {
    return new RankEvidence(
        "pod",
        "uid-" + dump.rank(),
        dump.rank(),
        0,
        ProcessState.RUNNING,
        DumpState.READ,
        DumpSummary.of(dump, WRITTEN).orElseThrow());
  }

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
              dumps.stream().map(SummaryTest::evidence).toList(), RANKS, Instant.EPOCH);
      assertThat(named(sent)).as("seed %d", seed).isEqualTo(named(whole));
      assertThat(sent.stallClass()).as("seed %d", seed).isEqualTo(whole.stallClass());
    }
  }

  @Test
  void shouldSendNoMoreThanAnObjectCanHold() {
    var group = new ProcessGroup("0", "default_pg", List.of(0, 1));
    List<Collective> pending = new ArrayList<>();
    for (int i = 1; i <= RankEvidence.MOST_OPERATIONS + 1; i++) {
      pending.add(new Collective(i, "recv 0<-1", "[1]", true, true, 0));
    }
    assertThat(DumpSummary.of(dump(group, pending), WRITTEN)).isEmpty();
    assertThat(
            DumpSummary.of(dump(group, pending.subList(0, RankEvidence.MOST_OPERATIONS)), WRITTEN))
        .isPresent();
    var collectives =
        IntStream.range(1, 5000).mapToObj(i -> new Collective(i, "a", "", false, true, 0)).toList();
    assertThat(
            DumpSummary.of(dump(group, collectives), WRITTEN).orElseThrow().getFirst().operations())
        .hasSize(4);
  }

  private static Dump dump(ProcessGroup group, List<Collective> operations) {
    return new Dump(0, Map.of(group, new GroupProgress(9, 8, false, operations)), 0);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          0 1 2 3 4 5 6 7          | 0-7
          0 8 16 24 3              | 0-24:8,3
          5                        | 5
          1 0                      | 1,0
          0 4                      | 0,4
          2 3                      | 2-3
          7 3 4 5 9 11 13          | 7,3-5,9-13:2
          """)
  void shouldWriteRanksInRuns(String ranks, String runs) {
    var list = List.of(ranks.split(" ")).stream().map(Integer::valueOf).toList();
    assertThat(RankRuns.write(list)).isEqualTo(runs);
    assertThat(RankRuns.read(runs, RANKS)).isEqualTo(list);
  }

  @Test
  void shouldReadWhatItWrites() {
    var random = new Random(1);
    for (int i = 0; i < 2_000; i++) {
      var all = new ArrayList<>(IntStream.range(0, 1 + random.nextInt(30)).boxed().toList());
      if (random.nextBoolean()) {
        Collections.shuffle(all, random);
      }
      all.removeIf(_ -> random.nextInt(3) == 0);
      all.add(100);
      assertThat(RankRuns.read(RankRuns.write(all), 1000)).isEqualTo(all);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a",
        "1-",
        "-1",
        "3-1",
        "0-8:0",
        "0-64",
        "0-1,0-62",
        "99999999",
        "0-9:9999999999"
      })
  void shouldReadNoRanksFromWhatIsNoRunOrTooLong(String runs) {
    assertThat(RankRuns.read(runs, RANKS)).isEmpty();
  }

  /** A few characters of each of many ranks stand for a million ranks. */
  @Test
  void shouldBoundAllListsTogether() {
    var reader = new SummaryReader(100_000);
    long ranks = 0;
    for (int rank = 0; rank < 1_000; rank++) {
      var group = new RankEvidence.Group("0", "", "0-99999," + rank, 9, 8, false, List.of());
      var other = new RankEvidence.Group("1", "", "0-" + (99_999 - rank), 9, 8, false, List.of());
      var evidence =
          new RankEvidence(
              "", "u", rank, 0, ProcessState.RUNNING, DumpState.READ, List.of(group, other));
      ranks +=
          reader.read(evidence).groups().keySet().stream().mapToLong(g -> g.ranks().size()).sum();
    }
    assertThat(ranks).isBetween(100_000L, 1_700_000L);
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
