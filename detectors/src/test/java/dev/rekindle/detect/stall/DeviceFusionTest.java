package dev.rekindle.detect.stall;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.MainThread;
import dev.rekindle.api.RankActivity;
import dev.rekindle.api.RankDevice;
import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.DumpState;
import dev.rekindle.api.RankEvidence.Group;
import dev.rekindle.api.RankEvidence.ProcessState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What four GPUs do, beside what the ranks show. */
class DeviceFusionTest {
  private static final int RANKS = 4;
  private static final int LAST = 9;

  /** 232 to 280 of 984 W, and memory at rest: what ranks took that waited in NCCL. */
  private static final RankDevice WAITS = device(100, 0, 260);

  private static final RankDevice IDLES = device(0, 0, 130);
  private static final RankDevice WORKS = device(100, 31, 900);

  private static RankDevice device(int utilization, int memory, int watts) {
    return new RankDevice("0000:3b:00", utilization, memory, watts, 40, 984);
  }

  private static RankEvidence rank(int rank, long enqueued, @Nullable RankDevice device) {
    boolean read = enqueued > 0;
    return new RankEvidence(
            "pod-" + rank,
            "uid-" + rank,
            rank,
            RANKS,
            ProcessState.RUNNING,
            read ? DumpState.READ : DumpState.NONE,
            read
                ? List.of(new Group("0", "default_pg", "0-3", enqueued, 8, false, List.of()))
                : List.of())
        .withDevice(device);
  }

  /** All ranks have joined the last collective, which does not end. */
  private static List<RankEvidence> joined(IntFunction<@Nullable RankDevice> device) {
    return ranks(_ -> (long) LAST, device);
  }

  private static List<RankEvidence> withoutDumps(IntFunction<@Nullable RankDevice> device) {
    return ranks(_ -> 0L, device);
  }

  private static List<RankEvidence> ranks(
      IntFunction<Long> enqueued, IntFunction<@Nullable RankDevice> device) {
    return IntStream.range(0, RANKS)
        .mapToObj(rank -> rank(rank, enqueued.apply(rank), device.apply(rank)))
        .toList();
  }

  private static StallReport of(List<RankEvidence> found) {
    return EvidenceAnalysis.of(found, 64, Instant.EPOCH);
  }

  private static List<Integer> named(StallReport report) {
    return report.culprits().stream().map(Culprit::rank).toList();
  }

  @Test
  void shouldNameTheRankThatDumpsDoNotTellFromOthersWhereItsGpuDiffers() {
    var report = of(joined(rank -> rank == 2 ? WORKS : WAITS));
    assertThat(named(report)).containsExactly(2);
    assertThat(report.stallClass()).isEqualTo(StallClass.DEVICE_OR_LINK);
    assertThat(report.confidence()).isEqualTo(Confidence.MEDIUM);
    assertThat(report.culprits().getFirst().reason())
        .isEqualTo("its GPU is at work while those of all others wait in a kernel");
    assertThat(report.evidence())
        .contains(
            "default_pg (group 0): all ranks have joined, it does not end",
            "the GPUs of 3 of 4 ranks wait in a kernel",
            "GPU 0000:3b:00 of rank 2: busy 100 % of the time, memory 31 %, 900 W, usually 984 W");
    var idle = of(joined(rank -> rank == 1 ? IDLES : WAITS));
    assertThat(named(idle)).containsExactly(1);
    assertThat(idle.stallClass()).as("it has joined").isEqualTo(StallClass.DEVICE_OR_LINK);
  }

  @Test
  void shouldNameNoRankWhereAllGpusWaitAlike() {
    var report = of(joined(_ -> WAITS));
    assertThat(report.culprits()).isEmpty();
    assertThat(report.stallClass()).isEqualTo(StallClass.NETWORK);
    assertThat(report.evidence()).contains("the GPUs of 4 of 4 ranks wait in a kernel");
  }

  @Test
  void shouldNameNoRankWhereItIsNotPlain() {
    assertThat(named(of(joined(rank -> rank < 2 ? WORKS : WAITS)))).as("two of four").isEmpty();
    assertThat(named(of(joined(rank -> rank == 0 ? WORKS : rank == 1 ? IDLES : WAITS))))
        .as("two that differ from each other")
        .isEmpty();
    assertThat(named(of(joined(rank -> rank == 0 ? null : rank == 1 ? WORKS : WAITS))))
        .as("one was not read")
        .isEmpty();
    var between = device(70, 3, 500);
    assertThat(named(of(joined(rank -> rank == 0 ? between : rank == 1 ? WORKS : WAITS))))
        .as("one does neither")
        .isEmpty();
    assertThat(named(of(joined(rank -> rank == 1 ? WAITS : WORKS)))).as("one waits").isEmpty();
  }

  /** Power alone, memory alone; a GPU of which nothing usual is known yet. */
  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "100, 0, 900, 40, 984, true",
        "100, 20, 260, 40, 984, true",
        "100, 19, 260, 40, 984, false",
        "100, 0, 780, 40, 984, false",
        "100, 20, 260, -, -, true",
        "100, 19, 900, -, -, false",
        "100, 10, 260, 4, 984, true",
        "100, 9, 260, 4, 984, false",
        "50, 31, 900, 40, 984, true",
        "49, 31, 900, 40, 984, false",
        "10, 0, 80, 40, 984, true",
        "11, 0, 80, 40, 984, false"
      })
  void shouldWeighAGpuByWhatIsUsualForIt(
      int busy,
      int memory,
      int watts,
      @Nullable Integer usualMemory,
      @Nullable Integer usualWatts,
      boolean differs) {
    var other = new RankDevice("0000:3b:00", busy, memory, watts, usualMemory, usualWatts);
    assertThat(named(of(joined(rank -> rank == 3 ? other : WAITS))))
        .isEqualTo(differs ? List.of(3) : List.of());
  }

  /** Those of the others have to wait plainly: less power than usual, and memory at rest. */
  @ParameterizedTest
  @CsvSource({
    "90, 5, 688, true",
    "89, 5, 688, false",
    "90, 6, 688, false",
    "90, 5, 689, false",
    "100, 0, 0, true"
  })
  void shouldTakeOnlyThoseForWaitingThatPlainlyDo(int busy, int memory, int watts, boolean waits) {
    assertThat(named(of(joined(rank -> rank == 3 ? IDLES : device(busy, memory, watts)))))
        .isEqualTo(waits ? List.of(3) : List.of());
  }

  @Test
  void shouldOnlyGuessWithoutAnotherWitness() {
    var report = of(withoutDumps(rank -> rank == 2 ? IDLES : WAITS));
    assertThat(named(report)).containsExactly(2);
    assertThat(report.confidence()).isEqualTo(Confidence.LOW);
    assertThat(report.stallClass()).isEqualTo(StallClass.HOST);
    assertThat(of(withoutDumps(rank -> rank == 2 ? WORKS : WAITS)).stallClass())
        .isEqualTo(StallClass.DEVICE_OR_LINK);
  }

  @Test
  void shouldNameTheRankThatTwoWeakWitnessesSingleOut() {
    var spins = new RankActivity(500, 510, 500, 0, MainThread.RUNNING, 30, 0);
    var sleeps = new RankActivity(500, 10, 0, 0, MainThread.SLEEPING, 30, 0);
    List<RankEvidence> agree = new ArrayList<>();
    List<RankEvidence> differ = new ArrayList<>();
    for (var rank : withoutDumps(rank -> rank == 2 ? IDLES : WAITS)) {
      agree.add(rank.withActivity(rank.rank() == 2 ? sleeps : spins));
      differ.add(rank.withActivity(rank.rank() == 1 ? sleeps : spins));
    }
    assertThat(named(of(agree))).containsExactly(2);
    assertThat(of(agree).confidence()).isEqualTo(Confidence.MEDIUM);
    assertThat(named(of(differ))).isEmpty();
  }

  @Test
  void shouldNameNoRankThatIsNoneOfThoseThatDumpsSuspect() {
    // Of eight ranks four stand in a collective of their own; the GPU of another one differs.
    List<RankEvidence> found = new ArrayList<>();
    for (int rank = 0; rank < 2 * RANKS; rank++) {
      boolean first = rank < RANKS;
      var group =
          new Group(
              first ? "1" : "2", "dp", first ? "0-3" : "4-7", 9, first ? 8 : 9, false, List.of());
      found.add(
          new RankEvidence(
                  "pod-" + rank,
                  "uid-" + rank,
                  rank,
                  2 * RANKS,
                  ProcessState.RUNNING,
                  DumpState.READ,
                  List.of(group))
              .withDevice(rank == 6 ? WORKS : WAITS));
    }
    assertThat(of(found).culprits()).isEmpty();
    found.replaceAll(rank -> rank.withDevice(rank.rank() == 3 ? WORKS : WAITS));
    assertThat(named(of(found))).containsExactly(3);
  }

  @Test
  void shouldHoldNothingAgainstARankWhereSomeWereNotHeardOf() {
    var found = joined(rank -> rank == 2 ? WORKS : WAITS);
    assertThat(EvidenceAnalysis.ofSome(found, 64, Instant.EPOCH).culprits()).isEmpty();
  }
}
