package dev.rekindle.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BoundsTest {
  @Test
  void shouldCutTextAtTheLimitAndNeverInsideACharacter() {
    Random random = new Random(20261121);
    for (int round = 0; round < 2_000; round++) {
      String text =
          random
              .ints(random.nextInt(40), 0, 3)
              .mapToObj(kind -> List.of("a", "é", "🔥").get(kind))
              .reduce("", String::concat);
      int most = 1 + random.nextInt(40);

      String cut = Bounds.text(text, most);

      assertThat(cut.length()).isLessThanOrEqualTo(most);
      assertThat(text).startsWith(cut);
      assertThat(cut)
          .isEqualTo(
              new String(cut.codePoints().toArray(), 0, cut.codePointCount(0, cut.length())));
      assertThat(cut.isEmpty() || !Character.isHighSurrogate(cut.charAt(cut.length() - 1)))
          .isTrue();
      assertThat(cut.length()).isGreaterThanOrEqualTo(Math.min(text.length(), most) - 1);
    }
  }

  @Test
  void shouldCountTheRanksThatAReportHasNoRoomFor() {
    assertThat(reportOf(64, null).ranksLeftOut()).isNull();
    assertThat(reportOf(64, 0).ranksLeftOut()).isNull();
    assertThat(reportOf(64, -3).leftOut()).isZero();
    assertThat(reportOf(64, 7).leftOut()).isEqualTo(7);
    assertThat(reportOf(66, 7).leftOut()).isEqualTo(9);
    assertThat(reportOf(66, null).leftOut()).isEqualTo(2);
    assertThat(reportOf(66, Integer.MAX_VALUE).leftOut()).isEqualTo(4096);
    assertThat(reportOf(66, null).ranks()).hasSize(64);
  }

  private static RestartReportSpec reportOf(int ranks, @Nullable Integer leftOut) {
    List<RankEvidence> all =
        IntStream.range(0, ranks)
            .mapToObj(
                rank ->
                    new RankEvidence(
                        "pod",
                        "uid",
                        rank,
                        ranks,
                        RankEvidence.ProcessState.RUNNING,
                        RankEvidence.DumpState.NONE,
                        List.of()))
            .toList();
    return new RestartReportSpec(
        "order", "uid", "node", "job", null, "", List.of(), null, all, leftOut);
  }

  /** What etcd takes is 1.5 MiB, and a request of the API server 3 MiB. */
  @ParameterizedTest
  @CsvSource({"node, 10000, x", "a-name-as-long-as-names-may-be, 10000, é", "n, 100000, 🔥"})
  void shouldStayFarBelowWhatIsStoredHoweverManyNodesAreFaulty(
      String prefix, int nodes, String letter) {
    List<String> names =
        IntStream.range(0, nodes)
            .mapToObj(i -> prefix + "-" + i + ".rack." + letter.repeat(230))
            .toList();
    String text = letter.repeat(100_000);
    List<TimelineEntry> timeline =
        IntStream.range(0, 500)
            .mapToObj(_ -> new TimelineEntry(RecoveryPhase.HELD, Instant.EPOCH, text))
            .toList();
    List<RecoveryStatus.Evidence> evidence =
        names.stream().map(name -> new RecoveryStatus.Evidence(name, name, text)).toList();
    RecoveryStatus status =
        new RecoveryStatus(
            RecoveryPhase.HELD,
            Instant.EPOCH,
            1,
            RecoveryPhase.FENCING,
            new RecoveryStatus.Cause(text, text, evidence, names, names, names, 1L),
            new RecoveryStatus.Plan(
                RestartWay.REBUILD, text, names, names, Map.of("leaf", names), null),
            null,
            timeline,
            List.of(new ConditionBuilder().withType("Progressing").withMessage(text).build()));

    assertThat(Serialization.asJson(status).getBytes(StandardCharsets.UTF_8))
        .hasSizeLessThan(1024 * 1024);
    assertThat(status.conditions())
        .allSatisfy(c -> assertThat(c.getMessage().length()).isLessThanOrEqualTo(Bounds.LINE));
    assertThat(Objects.requireNonNull(status.cause()).faultyNodes()).hasSizeGreaterThan(60);
  }

  @Test
  void shouldKeepTheBeginningAndTheNewestOfALongTimeline() {
    List<Integer> kept = Bounds.timeline(IntStream.range(0, 200).boxed().toList());

    assertThat(kept).hasSize(Bounds.TIMELINE).startsWith(0, 137).endsWith(199);
  }

  @Test
  void shouldKeepTheNewestIncidents() {
    assertThat(Bounds.newest(IntStream.range(0, 20).boxed().toList(), Bounds.INCIDENTS))
        .containsExactly(8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19);
    assertThat(Bounds.newest(null, 3)).isEmpty();
  }

  @Test
  void shouldCutWhatTheSchemaWouldRefuse() {
    String line = "x".repeat(5_000);
    var seen = new RecoveryStatus.Evidence(line, line, line);
    var cause =
        new RecoveryStatus.Cause(
            line, line, List.of(seen, seen), List.of(line), List.of(), List.of(), null);
    var entry = new TimelineEntry(RecoveryPhase.DETECTED, Instant.EPOCH, line);

    assertThat(cause.reason()).hasSize(Bounds.WORD);
    assertThat(cause.message()).hasSize(Bounds.LINE);
    assertThat(cause.evidence()).allMatch(e -> e.text().length() == Bounds.LINE);
    assertThat(cause.evidence()).allMatch(e -> e.node().length() == Bounds.NAME);
    assertThat(cause.evidence()).allMatch(e -> e.pod().length() == Bounds.NAME);
    assertThat(cause.faultyNodes()).allMatch(n -> n.length() == Bounds.NAME);
    assertThat(entry.detail()).hasSize(Bounds.LINE);
  }
}
