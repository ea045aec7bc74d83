package dev.rekindle.detect.stall;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.DumpState;
import dev.rekindle.api.RankEvidence.Group;
import dev.rekindle.api.RankEvidence.Operation;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartReport;
import dev.rekindle.api.RestartReportSpec;
import dev.rekindle.detect.evidence.AgentDump;
import dev.rekindle.detect.stall.PlayedJob.Fault;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The controller names from what agents send whom {@code analyze} names from the same dumps: each
 * is read as an agent reads it, written as an object of the API, and read again.
 */
class SameAnswerTest {
  private static final int SEEDS = Integer.getInteger("dumps.seeds", 25);
  private static final long FROM = Long.getLong("dumps.from", 93_120_000L);
  private static final KubernetesSerialization API = new KubernetesSerialization();

  /** Long after everything that these dumps hold. */
  private static final Instant LATER = Instant.parse("2027-01-01T00:00:00Z");

  @TempDir Path folder;

  private record Answers(StallReport analyze, StallReport controller, StallReport withoutOrder) {}

  private static List<RankEvidence> throughTheApi(List<RankEvidence> found) {
    var report = new RestartReport();
    report.setSpec(
        new RestartReportSpec(
            "order", "uid", "node", "job", RestartInstruction.LOOK, "", List.of(), LATER, found));
    var json = API.asJson(report);
    assertThat(json.length()).isLessThan(1_500_000);
    return API.unmarshal(json, RestartReport.class).getSpec().ranks();
  }

  private static StallReport controller(List<RankEvidence> found) {
    return EvidenceAnalysis.of(throughTheApi(found), 64, Instant.EPOCH);
  }

  /** As an agent sends it that knows no order, or an API server stores that knows no such field. */
  private static RankEvidence withoutOrder(RankEvidence rank) {
    return rank.withGroups(rank.groups().stream().map(SameAnswerTest::withoutOrder).toList());
  }

  private static Group withoutOrder(Group g) {
    return new Group(
        g.name(),
        g.description(),
        g.ranks(),
        g.enqueued(),
        g.completed(),
        g.inferred(),
        g.operations().stream()
            .map(
                o ->
                    new Operation(
                        o.sequence(), o.operation(), o.shape(), o.pointToPoint(), o.pending()))
            .toList(),
        g.idleMillis());
  }

  /** Both answers on the dumps of the folder, whose files end with ranks. */
  private static Answers answers(Path dumps, int ranks, Instant written) throws IOException {
    var files = new DumpFiles(new FileNotes(), DumpFiles.MOST_KEPT);
    List<RankEvidence> found = new ArrayList<>();
    try (Stream<Path> all = Files.list(dumps)) {
      for (var file : all.filter(Files::isRegularFile).sorted().toList()) {
        var name = file.getFileName().toString().replace(".json", "");
        int rank = Integer.parseInt(name.substring(name.lastIndexOf('_') + 1));
        files.take(file);
        found.add(AgentDump.at(rank, ranks, Files.readAllBytes(file), written));
      }
    }
    assertThat(found).allMatch(rank -> rank.dump() == DumpState.READ);
    files.passOverFormer();
    return new Answers(
        files.report(ranks),
        controller(found),
        controller(found.stream().map(SameAnswerTest::withoutOrder).toList()));
  }

  private Answers played(long seed, Fault fault, boolean straggles) throws IOException {
    var job = PlayedJob.play(new Random(seed), fault, straggles);
    // Every other job has recorders that time devices.
    return played(seed, fault, straggles, seed % 2 == 0 ? job : job.timed());
  }

  private Answers played(long seed, Fault fault, boolean straggles, PlayedJob job)
      throws IOException {
    long at = PlayedJob.END + 30_000;
    var written = Instant.ofEpochSecond(0, PlayedJob.nanos(at));
    var dumps = Files.createDirectories(folder.resolve(fault + "-" + straggles + "-" + seed));
    for (int rank = 0; rank < job.ranks(); rank++) {
      var file = dumps.resolve("rank_" + rank);
      Files.writeString(file, job.dump(rank, at), StandardCharsets.UTF_8);
      // Not in the order of ranks: as processes write them, not as a copy does.
      Files.setLastModifiedTime(file, FileTime.from(written.plusMillis((rank ^ 1) * 300L)));
    }
    return answers(dumps, job.ranks(), written);
  }

  private static void assertSame(Answers answers, String what) {
    assertThat(answers.controller().culprits()).as(what).isEqualTo(answers.analyze().culprits());
    assertThat(answers.controller().stallClass())
        .as(what)
        .isEqualTo(answers.analyze().stallClass());
    assertThat(answers.controller().confidence())
        .as(what)
        .isEqualTo(answers.analyze().confidence());
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  void shouldNameWhomAnalyzeNamesInAPlayedJob(Fault fault) throws IOException {
    for (long seed = FROM; seed < FROM + SEEDS; seed++) {
      for (boolean straggles : new boolean[] {false, true}) {
        assertSame(played(seed, fault, straggles), "seed " + seed + ", straggler " + straggles);
      }
    }
  }

  /** Recorded ones, and more below {@code -Ddumps.folders=A:B}. */
  @ParameterizedTest
  @MethodSource("recorded")
  void shouldNameWhomAnalyzeNamesInRecordedDumps(Path dumps) throws IOException {
    assertSame(
        answers(dumps, requireNonNull(dumps.toFile().list()).length, LATER), dumps.toString());
  }

  static Stream<Path> recorded() {
    var examples = Stream.of("lock", "mismatch", "skip", "slow-loader");
    var more = System.getProperty("dumps.folders", "");
    return Stream.concat(
        examples.map(Path.of("../examples/flight-recorder")::resolve),
        more.isEmpty() ? Stream.of() : Stream.of(more.split(":", -1)).map(Path::of));
  }

  /** An agent that sends no order: what the controller says then is what it said before. */
  @Test
  void shouldNotKnowWithoutTheOrder() throws IOException {
    int differ = 0;
    for (var fault : Fault.values()) {
      for (long seed = FROM; seed < FROM + SEEDS; seed++) {
        var answers = played(seed, fault, false);
        if (!answers.withoutOrder().culprits().equals(answers.controller().culprits())
            || answers.withoutOrder().stallClass() != answers.controller().stallClass()) {
          differ++;
        }
      }
    }
    assertThat(differ).isPositive();
  }
}
