package dev.rekindle.detect.stall;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.DumpState;
import dev.rekindle.api.RankEvidence.ProcessState;
import dev.rekindle.detect.flightrecorder.Collective;
import dev.rekindle.detect.flightrecorder.Dump;
import dev.rekindle.detect.flightrecorder.GroupProgress;
import dev.rekindle.detect.flightrecorder.ProcessGroup;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How summaries are written and read, and how big they may be. */
class SummaryBoundsTest extends SummaryFixture {
  @Test
  void shouldSendNoMoreThanAnObjectCanHold() {
    var group = new ProcessGroup("0", "default_pg", List.of(0, 1));
    List<Collective> pending = new ArrayList<>();
    for (int i = 1; i <= RankEvidence.MOST_OPERATIONS + 1; i++) {
      pending.add(new Collective(i, "recv 0<-1", "[1]", true, true, 0));
    }
    assertThat(DumpSummary.of(dump(group, pending), WRITTEN).orElseThrow().getFirst().operations())
        .hasSize(PeerWaits.MOST_PENDING);
    var collectives =
        IntStream.range(1, 5000).mapToObj(i -> new Collective(i, "a", "", false, true, 0)).toList();
    assertThat(
            DumpSummary.of(dump(group, collectives), WRITTEN).orElseThrow().getFirst().operations())
        .hasSize(4);
    Map<ProcessGroup, GroupProgress> groups = new HashMap<>();
    for (int i = 0; i < 3; i++) {
      groups.put(
          new ProcessGroup("" + i, "pp", List.of(0, 1)), new GroupProgress(9, 8, false, pending));
    }
    assertThat(DumpSummary.of(new Dump(0, groups, 0), WRITTEN)).isEmpty();
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
}
