package dev.rekindle.detect.stall;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.EvidencePart;
import dev.rekindle.api.MainThread;
import dev.rekindle.api.RankActivity;
import dev.rekindle.api.RankCalls;
import dev.rekindle.api.RankDevice;
import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.DumpState;
import dev.rekindle.api.RankEvidence.Frame;
import dev.rekindle.api.RankEvidence.Group;
import dev.rekindle.api.RankEvidence.Line;
import dev.rekindle.api.RankEvidence.LineGroup;
import dev.rekindle.api.RankEvidence.LineKind;
import dev.rekindle.api.RankEvidence.Operation;
import dev.rekindle.api.RankEvidence.ProcessState;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartReport;
import dev.rekindle.api.RestartReportSpec;
import dev.rekindle.detect.evidence.AgentDump;
import dev.rekindle.detect.stall.PlayedJob.Fault;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class EvidenceBoundTest {
  private static final int SEEDS = Integer.getInteger("dumps.seeds", 20);
  private static final long FROM = Long.getLong("dumps.from", 94_120_000L);
  private static final KubernetesSerialization API = new KubernetesSerialization();
  private static final String HOSTILE = "\u0001\"\\<>&\u2028\ud83d\ude00\u00e9\u4e2da";

  private static String text(Random random, int most) {
    var text = new StringBuilder();
    int length = random.nextBoolean() ? most : random.nextInt(most + 1);
    int kind = random.nextInt(3);
    while (text.length() < length) {
      text.append(
          kind == 0
              ? "a"
              : kind == 1 ? "\u0001" : HOSTILE.substring(random.nextInt(HOSTILE.length())));
    }
    return text.substring(0, length);
  }

  private static long number(Random random) {
    return random.nextBoolean() ? Long.MIN_VALUE + random.nextInt(9) : random.nextInt(100_000);
  }

  private static int count(Random random, int most) {
    return random.nextInt(3) == 0 ? most : random.nextInt(most + 1);
  }

  private static RankEvidence anything(Random random, int rank) {
    List<Group> groups = new ArrayList<>();
    int operations = count(random, RankEvidence.MOST_OPERATIONS);
    int all = count(random, RankEvidence.MOST_GROUPS);
    for (int i = 0; i < all; i++) {
      groups.add(
          new Group(
              text(random, 128),
              text(random, 128),
              text(random, 512),
              number(random),
              number(random),
              random.nextBoolean(),
              IntStream.range(0, operations / all)
                  .mapToObj(
                      _ ->
                          new Operation(
                              number(random),
                              text(random, 128),
                              text(random, 128),
                              random.nextBoolean(),
                              random.nextBoolean(),
                              random.nextInt()))
                  .toList(),
              random.nextBoolean() ? null : random.nextLong()));
    }
    var lines =
        IntStream.range(0, count(random, RankEvidence.MOST_LINES))
            .mapToObj(
                _ ->
                    new Line(
                        LineKind.COLLECTIVE_MISMATCH,
                        Instant.ofEpochSecond(random.nextInt(), 123_456_789),
                        new LineGroup(text(random, 128), false, text(random, 128), number(random)),
                        number(random),
                        number(random),
                        number(random),
                        number(random),
                        text(random, 128),
                        text(random, 128),
                        text(random, 128),
                        text(random, 128),
                        false,
                        Collections.nCopies(64, random.nextInt())))
            .toList();
    var stack =
        IntStream.range(0, count(random, RankEvidence.MOST_FRAMES))
            .mapToObj(
                _ -> new Frame(text(random, 128), text(random, 128), random.nextInt(1_000_000)))
            .toList();
    int most = Integer.MAX_VALUE;
    return new RankEvidence(
            text(random, 253),
            text(random, 128),
            rank,
            1_000_000,
            random.nextBoolean() ? ProcessState.STOPPED : ProcessState.RUNNING,
            DumpState.READ,
            groups)
        .withLines(lines)
        .withActivity(
            new RankActivity(most, most, most, Long.MAX_VALUE, MainThread.CHANGING, most, most))
        .withAddresses(
            IntStream.range(0, count(random, 8)).mapToObj(_ -> text(random, 128)).toList())
        .withStack(stack)
        .withDevice(new RankDevice(text(random, 128), 100, 100, most, 100, most))
        .withCalls(
            new RankCalls(most, most, text(random, 128), 9, text(random, 128), text(random, 128)));
  }

  /** As the API server keeps it, which escapes more than a client. */
  private static int bytes(Object value) {
    var kept =
        API.asJson(value)
            .replace("<", "\\u003c")
            .replace(">", "\\u003e")
            .replace("&", "\\u0026")
            .replace("\u2028", "\\u2028")
            .replace("\u2029", "\\u2029");
    return kept.getBytes(StandardCharsets.UTF_8).length;
  }

  private static RestartReport report(List<RankEvidence> ranks) {
    var report = new RestartReport();
    report.setSpec(
        new RestartReportSpec(
            "o", "u", "n", "j", RestartInstruction.LOOK, "", List.of(), Instant.EPOCH, ranks));
    return report;
  }

  @Test
  void shouldFitIntoAReportWhateverComesIn() {
    for (long seed = FROM; seed < FROM + SEEDS; seed++) {
      var random = new Random(seed);
      var found =
          IntStream.range(0, 1 + random.nextInt(90))
              .mapToObj(rank -> anything(random, rank))
              .toList();
      var one = found.getFirst();
      assertThat(EvidenceSize.of(one)).as("seed %d", seed).isGreaterThanOrEqualTo(bytes(one));
      var kept = EvidenceBound.fit(found);
      assertThat(kept).hasSize(Math.min(found.size(), RankEvidence.MOST_RANKS));
      assertThat(bytes(report(kept)))
          .as("seed %d", seed)
          .isLessThan(RankEvidence.MOST_BYTES + 1_000);
      var shuffled = new ArrayList<>(found);
      Collections.shuffle(shuffled, random);
      assertThat(EvidenceBound.fit(shuffled)).isEqualTo(kept);
    }
  }

  @Test
  void shouldCountWhatIsAlwaysSentOfARank() {
    int most = Integer.MAX_VALUE;
    var bare =
        new RankEvidence(
                "p", "u", 999_999, 1_000_000, ProcessState.RUNNING, DumpState.UNREADABLE, List.of())
            .withActivity(
                new RankActivity(most, most, most, Long.MAX_VALUE, MainThread.CHANGING, most, most))
            .withDevice(new RankDevice("<".repeat(128), 100, 100, most, 100, most))
            .withCompiles(true)
            .withOmitted(List.of(EvidencePart.values()));
    var without = bare.withDevice(null);
    assertThat(EvidenceSize.core(bare)).isGreaterThanOrEqualTo(bytes(bare));
    int device = bytes(bare) - bytes(without);
    assertThat(EvidenceSize.core(bare) - EvidenceSize.core(without)).isBetween(device, device + 30);
  }

  @Test
  void shouldKeepAllWhereItFits() {
    var random = new Random(FROM);
    var found =
        IntStream.range(0, 2)
            .mapToObj(rank -> anything(random, rank))
            .filter(rank -> EvidenceSize.of(rank) < RankEvidence.MOST_BYTES / 2)
            .toList();
    assertThat(found).isNotEmpty();
    assertThat(EvidenceBound.fit(found)).isEqualTo(found);
  }

  /** A rank that waits in its newest collective, with so much pending. */
  private static RankEvidence large(int rank, int enqueued) {
    var operations =
        IntStream.range(0, 150)
            .mapToObj(i -> new Operation(i, "send 0->1", "x".repeat(100), true, true, i + 1))
            .toList();
    return new RankEvidence(
        "pod-" + rank,
        "uid-" + rank,
        rank,
        64,
        ProcessState.RUNNING,
        DumpState.READ,
        List.of(
            new Group("0", "all", "0-63", enqueued, 9, false, List.of()),
            new Group("1", "peers", "0-63", 9, 9, false, operations)));
  }

  @Test
  void shouldKeepTheDumpOfTheRankThatIsBehind() {
    var found = IntStream.range(0, 64).mapToObj(rank -> large(rank, rank == 63 ? 9 : 10)).toList();
    var kept = EvidenceBound.fit(found);
    assertThat(kept.getLast()).isEqualTo(found.getLast());
    assertThat(kept.getFirst()).isEqualTo(found.getFirst());
    assertThat(kept.get(62).dump()).isEqualTo(DumpState.UNREADABLE);
    assertThat(kept.get(62).omitted()).containsExactly(EvidencePart.DUMP);
    var report = EvidenceAnalysis.of(kept, 64, Instant.EPOCH);
    assertThat(report.evidence().getFirst())
        .startsWith("dumps of ranks ")
        .endsWith("did not fit into the reports of agents");
  }

  /** What the ranks of a job have, each with a stack, split over nodes. */
  private static List<RankEvidence> cut(List<RankEvidence> found, int nodes, int most) {
    List<RankEvidence> kept = new ArrayList<>();
    int each = Math.ceilDiv(found.size(), nodes);
    for (int from = 0; from < found.size(); from += each) {
      kept.addAll(
          EvidenceBound.fit(
              found.subList(from, Math.min(from + each, found.size())),
              most * each / found.size()));
    }
    return kept;
  }

  @ParameterizedTest
  @EnumSource(
      value = Fault.class,
      names = {"HOST", "DEVICE", "NETWORK"})
  void shouldNameNoOtherRankForWhatIsLeftOut(Fault fault) {
    int named = 0;
    int stillNamed = 0;
    for (long seed = FROM; seed < FROM + SEEDS; seed++) {
      var random = new Random(seed);
      var job = PlayedJob.play(random, fault, random.nextBoolean());
      long at = PlayedJob.END + 30_000;
      var written = Instant.ofEpochSecond(0, PlayedJob.nanos(at));
      var found =
          IntStream.range(0, job.ranks())
              .mapToObj(
                  rank ->
                      AgentDump.at(
                          rank,
                          job.ranks(),
                          job.dump(rank, at).getBytes(StandardCharsets.UTF_8),
                          written))
              .toList();
      int all = found.stream().mapToInt(EvidenceSize::of).sum();
      boolean right = names(found, job);
      named += right ? 1 : 0;
      for (int percent = 5; percent < 100; percent += 5) {
        for (int nodes = 1; nodes <= 2; nodes++) {
          var kept = cut(found, nodes, all * percent / 100);
          boolean same = names(kept, job);
          stillNamed += right && same && percent == 60 && nodes == 1 ? 1 : 0;
        }
      }
    }
    if (fault == Fault.HOST) {
      assertThat(named).isGreaterThan(SEEDS / 2);
      assertThat(stillNamed * 10).isGreaterThanOrEqualTo(named * 6);
    }
  }

  private static boolean names(List<RankEvidence> found, PlayedJob job) {
    var report = EvidenceAnalysis.of(found, job.ranks(), Instant.EPOCH);
    var truth = job.culprit();
    if (report.confidence() == Confidence.LOW || report.culprits().isEmpty()) {
      return false;
    }
    assertThat(report.culprits().stream().map(Culprit::rank).toList())
        .as("%s", report)
        .isEqualTo(truth == null ? List.of() : List.of(truth));
    return true;
  }
}
