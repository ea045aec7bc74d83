package dev.rekindle.detect.stall;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.MainThread;
import dev.rekindle.api.RankActivity;
import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.DumpState;
import dev.rekindle.api.RankEvidence.Group;
import dev.rekindle.api.RankEvidence.Line;
import dev.rekindle.api.RankEvidence.ProcessState;
import dev.rekindle.detect.ncclog.LogFact.CollectiveMismatch;
import dev.rekindle.detect.ncclog.LogFact.PeersFailed;
import dev.rekindle.detect.ncclog.LogFact.WorkCounters;
import dev.rekindle.detect.ncclog.LoggedGroup;
import dev.rekindle.detect.ncclog.LoggedLine;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What four ranks use, beside what they and their logs say. */
class ActivityFusionTest {
  private static final int RANKS = 4;

  private static final RankActivity SPINS = use(510, 500, MainThread.RUNNING);
  private static final RankActivity SLEEPS = use(10, 0, MainThread.SLEEPING);

  private static RankActivity use(int cpu, int main, MainThread state) {
    return new RankActivity(500, cpu, main, 0, state, 30, 0);
  }

  private static RankEvidence rank(
      int rank, long enqueued, List<Line> lines, @Nullable RankActivity activity) {
    return new RankEvidence(
            "pod-" + rank,
            "uid-" + rank,
            rank,
            RANKS,
            ProcessState.RUNNING,
            enqueued == 0 ? DumpState.NONE : DumpState.READ,
            enqueued == 0
                ? List.of()
                : List.of(new Group("0", "default_pg", "0-3", enqueued, 8, false, List.of())))
        .withLines(lines)
        .withActivity(activity);
  }

  /** Ranks without dumps and lines. */
  private static List<RankEvidence> silent(IntFunction<@Nullable RankActivity> activity) {
    return IntStream.range(0, RANKS)
        .mapToObj(rank -> rank(rank, 0, List.of(), activity.apply(rank)))
        .toList();
  }

  private static StallReport of(List<RankEvidence> found) {
    return EvidenceAnalysis.of(found, 64, Instant.EPOCH);
  }

  private static List<Integer> named(StallReport report) {
    return report.culprits().stream().map(Culprit::rank).toList();
  }

  @Test
  void shouldGuessTheRankThatSleepsWhileAllOthersSpin() {
    var report = of(silent(rank -> rank == 2 ? SLEEPS : SPINS));
    assertThat(named(report)).containsExactly(2);
    assertThat(report.confidence()).isEqualTo(Confidence.LOW);
    assertThat(report.stallClass()).isEqualTo(StallClass.HOST);
    assertThat(report.culprits().getFirst().reason())
        .isEqualTo("it sleeps while all other ranks spin");
    assertThat(report.evidence())
        .contains("processor time: least rank 2 (2 % of a core), most rank 3 (102 % of a core)");
  }

  @Test
  void shouldGuessTheRankThatComputesWhileAllOthersSleep() {
    var report = of(silent(rank -> rank == 1 ? SPINS : SLEEPS));
    assertThat(named(report)).containsExactly(1);
    assertThat(report.confidence()).isEqualTo(Confidence.LOW);
  }

  @Test
  void shouldGuessTheRankWhoseMainThreadCannotBeWoken() {
    var blocked = use(0, 0, MainThread.BLOCKED);
    assertThat(named(of(silent(rank -> rank == 3 ? blocked : SLEEPS)))).containsExactly(3);
    assertThat(named(of(silent(rank -> rank == 3 ? blocked : SPINS)))).containsExactly(3);
    assertThat(named(of(silent(rank -> rank >= 2 ? blocked : SPINS)))).as("two of four").isEmpty();
  }

  @Test
  void shouldGuessNoRankWhereItIsNotPlain() {
    assertThat(named(of(silent(_ -> SPINS)))).isEmpty();
    assertThat(named(of(silent(_ -> SLEEPS)))).isEmpty();
    assertThat(named(of(silent(rank -> rank < 2 ? SPINS : SLEEPS)))).as("two and two").isEmpty();
    assertThat(named(of(silent(rank -> rank == 0 ? null : rank == 1 ? SLEEPS : SPINS))))
        .as("one was not looked at")
        .isEmpty();
    var between = use(150, 150, MainThread.SLEEPING);
    assertThat(named(of(silent(rank -> rank == 0 ? between : rank == 1 ? SLEEPS : SPINS))))
        .as("one is neither")
        .isEmpty();
    var prefetches = use(400, 0, MainThread.SLEEPING);
    assertThat(named(of(silent(rank -> rank == 0 ? prefetches : SLEEPS))))
        .as("another thread than the main one works")
        .isEmpty();
    assertThat(named(of(silent(rank -> rank == 0 ? prefetches : SPINS))))
        .as("it waits for what another of its threads does, or not")
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"0", "199", "5001"})
  void shouldNotBelieveALookThatTookTooLongOrTooShort(int millis) {
    var other = new RankActivity(millis, 0, 0, 0, MainThread.SLEEPING, 1, 0);
    assertThat(named(of(silent(rank -> rank == 2 ? other : SPINS)))).isEmpty();
  }

  @Test
  void shouldHoldNothingAgainstARankWhereSomeWereNotHeardOf() {
    var blocked = use(0, 0, MainThread.BLOCKED);
    var found = silent(rank -> rank == 2 ? blocked : SPINS);
    assertThat(named(of(found))).containsExactly(2);
    assertThat(EvidenceAnalysis.ofSome(found, 64, Instant.EPOCH).culprits()).isEmpty();
    assertThat(named(of(silent(rank -> rank == 2 ? blocked : rank == 0 ? null : SPINS)))).isEmpty();
  }

  private static RankEvidence of(int ranks, int rank, RankActivity activity) {
    return new RankEvidence(
            "pod-" + rank,
            "uid-" + rank,
            rank,
            ranks,
            ProcessState.RUNNING,
            DumpState.NONE,
            List.of())
        .withActivity(activity);
  }

  @Test
  void shouldNotChooseBetweenTwoRanksOrTakeTwoAgainstOneForPlain() {
    assertThat(named(of(List.of(of(2, 0, SPINS), of(2, 1, SLEEPS))))).isEmpty();
    assertThat(named(of(List.of(of(3, 0, SLEEPS), of(3, 1, SLEEPS), of(3, 2, SPINS))))).isEmpty();
    assertThat(named(of(List.of(of(3, 0, SPINS), of(3, 1, SPINS), of(3, 2, SLEEPS))))).isEmpty();
  }

  private static List<RankEvidence> dumps(int late, IntFunction<@Nullable RankActivity> activity) {
    return IntStream.range(0, RANKS)
        .mapToObj(rank -> rank(rank, rank == late ? 8 : 9, List.of(), activity.apply(rank)))
        .toList();
  }

  @Test
  void shouldKeepWhatDumpsSayOfAllRanksAndBeLessSureWhereTheyDisagree() {
    var agrees = of(dumps(2, rank -> rank == 2 ? SLEEPS : SPINS));
    assertThat(named(agrees)).containsExactly(2);
    assertThat(agrees.confidence()).isEqualTo(Confidence.HIGH);
    var disagrees = of(dumps(2, rank -> rank == 1 ? SLEEPS : SPINS));
    assertThat(named(disagrees)).containsExactly(2);
    assertThat(disagrees.confidence()).isEqualTo(Confidence.MEDIUM);
    assertThat(disagrees.evidence())
        .contains("witnesses disagree: rank 2 named, rank 1 singled out by processor time");
  }

  @Test
  void shouldNameNoRankWhereDumpsThatAreNotAllThereDisagree() {
    List<RankEvidence> found = new ArrayList<>(dumps(2, rank -> rank == 1 ? SLEEPS : SPINS));
    found.set(3, rank(3, 0, List.of(), SPINS));
    var report = of(found);
    assertThat(report.culprits()).isEmpty();
    assertThat(report.stallClass()).isEqualTo(StallClass.UNKNOWN);
    found.replaceAll(
        r -> rank(r.rank(), r.rank() == 3 ? 0 : r.rank() == 2 ? 8 : 9, List.of(), null));
    assertThat(named(of(found))).as("without the witness").containsExactly(2);
  }

  /** All have joined what none completes: whatever sleeps, no rank is late. */
  @Test
  void shouldNameNoRankAgainstDumpsThatShowThatAllHaveJoined() {
    var report = of(dumps(-1, rank -> rank == 2 ? SLEEPS : SPINS));
    assertThat(report.culprits()).isEmpty();
    assertThat(report.stallClass()).isEqualTo(StallClass.NETWORK);
    assertThat(report.evidence()).contains("rank 2 singled out by processor time, not named");
  }

  private static Line line(LoggedLine line) {
    return LineRecord.of(line);
  }

  @Test
  void shouldMakeAGuessOfLogsSurer() {
    IntFunction<List<RankEvidence>> late =
        sleeps ->
            IntStream.range(0, RANKS)
                .mapToObj(
                    rank ->
                        rank(
                            rank,
                            0,
                            rank == 2 ? List.of() : List.of(counters(rank)),
                            rank == sleeps ? SLEEPS : SPINS))
                .toList();
    assertThat(of(late.apply(-1)).confidence()).isEqualTo(Confidence.LOW);
    var report = of(late.apply(2));
    assertThat(named(report)).containsExactly(2);
    assertThat(report.confidence()).isEqualTo(Confidence.MEDIUM);
    assertThat(report.evidence()).contains("rank 2 singled out by processor time as well");
    assertThat(of(late.apply(1)).culprits()).as("it singles out another").isEmpty();
  }

  private static Line counters(int rank) {
    var group = new LoggedGroup("0", true, "default_pg", rank);
    return line(new LoggedLine(-1, Instant.EPOCH.plusSeconds(5), new WorkCounters(group, 9, 8)));
  }

  @Test
  void shouldNameNoRankWhereLogsNameAnother() {
    var failed =
        line(new LoggedLine(-1, Instant.EPOCH.plusSeconds(5), new PeersFailed(List.of(1))));
    List<RankEvidence> found = new ArrayList<>(silent(rank -> rank == 2 ? SLEEPS : SPINS));
    found.set(0, rank(0, 0, List.of(failed), SPINS));
    var report = of(found);
    assertThat(report.culprits()).isEmpty();
    assertThat(report.evidence().getFirst()).startsWith("witnesses disagree: ");
  }

  @Test
  void shouldNotSpeakAgainstCallsThatDoNotFitTogether() {
    var facts =
        List.of(
            new CollectiveMismatch(0, "ALLREDUCE", 1, "REDUCE"),
            new CollectiveMismatch(0, "ALLREDUCE", 3, "ALLREDUCE"));
    var lines =
        facts.stream()
            .map(fact -> line(new LoggedLine(-1, Instant.EPOCH.plusSeconds(5), fact)))
            .toList();
    List<RankEvidence> found = new ArrayList<>(silent(rank -> rank == 2 ? SLEEPS : SPINS));
    found.set(0, rank(0, 0, lines, SPINS));
    var report = of(found);
    assertThat(named(report)).containsExactly(1);
    assertThat(report.stallClass()).isEqualTo(StallClass.PROGRAM);
  }

  /** What dumps and logs disagree on processor time does not decide. */
  @Test
  void shouldNotDecideBetweenDumpsAndLogs() {
    var failed =
        line(new LoggedLine(-1, Instant.EPOCH.plusSeconds(5), new PeersFailed(List.of(1))));
    List<RankEvidence> found = new ArrayList<>(dumps(2, rank -> rank == 2 ? SLEEPS : SPINS));
    found.set(0, rank(0, 9, List.of(failed), SPINS));
    assertThat(of(found).culprits()).isEmpty();
  }

  @Test
  void shouldSayWhoReadsMuchAndNameNoRankForIt() {
    var reads = new RankActivity(500, 10, 0, 20 << 20, MainThread.SLEEPING, 30, 0);
    var report = of(silent(rank -> rank == 3 ? reads : SLEEPS));
    assertThat(report.culprits()).isEmpty();
    assertThat(report.evidence()).contains("rank 3 reads and writes 40 MiB a second");
  }

  @Test
  void shouldNotSingleOutTheOnlyRankThatWaitsForAllOthers() {
    var report =
        of(
            IntStream.range(0, RANKS)
                .mapToObj(
                    rank -> rank(rank, rank == 2 ? 9 : 8, List.of(), rank == 2 ? SPINS : SLEEPS))
                .toList());
    assertThat(report.culprits()).isEmpty();
    assertThat(report.evidence()).contains("3 of 4 ranks hold up others: none is named");
  }
}
