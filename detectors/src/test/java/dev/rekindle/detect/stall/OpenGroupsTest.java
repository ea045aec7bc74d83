package dev.rekindle.detect.stall;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.flightrecorder.Dump;
import dev.rekindle.detect.flightrecorder.GroupProgress;
import dev.rekindle.detect.flightrecorder.ProcessGroup;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** As dumps over Gloo are: no list of members, and no group in which nothing was called yet. */
class OpenGroupsTest {
  private static final GroupProgress WAITS = new GroupProgress(36, 35, false, List.of());
  private static final GroupProgress BEHIND = new GroupProgress(35, 35, false, List.of());
  private static final GroupProgress FIRST = new GroupProgress(1, 0, false, List.of());

  private static List<ProcessGroup> groups(int ranks, boolean listed) {
    var all = IntStream.range(0, ranks).boxed().toList();
    return List.of(
        new ProcessGroup("0", "default_pg", all),
        new ProcessGroup("1", "undefined", listed ? all : List.of()));
  }

  /** One rank leaves out the first call in a group, and waits for those that have made it. */
  private static List<Dump> skips(int skips, int ranks, int callers, boolean listed) {
    var groups = groups(ranks, listed);
    List<Dump> dumps = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      dumps.add(
          rank == skips || rank >= callers
              ? new Dump(rank, Map.of(groups.getFirst(), WAITS), 0)
              : new Dump(rank, Map.of(groups.getFirst(), BEHIND, groups.getLast(), FIRST), 0));
    }
    return dumps;
  }

  @ParameterizedTest
  @CsvSource({
    "1, 3, 3, false",
    "1, 3, 3, true",
    "1, 2, 2, false",
    "1, 2, 2, true",
    "1, 16, 4, false",
    "3, 64, 8, false"
  })
  void shouldNameNoRankAndNotTheNetworkWhereTheOneThatSkipsDoesNotShowTheGroup(
      int skips, int ranks, int callers, boolean listed) {
    var report = StallAnalysis.of(skips(skips, ranks, callers, listed), Set.of(), ranks);
    assertThat(report.culprits()).as("%s", report).isEmpty();
    assertThat(report.stallClass()).as("%s", report).isEqualTo(StallClass.UNKNOWN);
    assertThat(report.evidence()).last().asString().contains("may be in it whose dumps do not");
  }

  /** It may be the one, for all that dumps show: a second witness has to say so. */
  @Test
  void shouldOnlyGuessAtARankWithoutADumpInstead() {
    var dumps = skips(1, 16, 4, false);
    dumps.remove(9);
    var report = StallAnalysis.of(dumps, Set.of(), 16);
    assertThat(report.culprits()).extracting(Culprit::rank).containsExactly(9);
    assertThat(report.confidence()).isEqualTo(Confidence.LOW);
  }

  /** What is named by listed groups is named, or none is, and never another rank. */
  @ParameterizedTest
  @CsvSource({"HOST, 300", "DEVICE, 300", "NETWORK, 0"})
  void shouldNeverNameAnInnocentRankByGroupsThatListNoMembers(Hang.Kind kind, int atLeast) {
    int named = 0;
    for (int seed = 0; seed < 300; seed++) {
      var random = new Random(seed);
      int rows = 2 + random.nextInt(4);
      int columns = 2 + random.nextInt(4);
      int culprit = random.nextInt(rows * columns);
      var dumps =
          Hang.play(kind, culprit, rows, columns, random).stream()
              .map(OpenGroupsTest::unlisted)
              .toList();
      var report = StallAnalysis.of(dumps, Set.of(), rows * columns);
      assertThat(report.culprits())
          .as("seed %d: %s", seed, report)
          .extracting(Culprit::rank)
          .isSubsetOf(kind == Hang.Kind.NETWORK ? List.of() : List.of(culprit));
      named += report.culprits().size();
    }
    assertThat(named).isGreaterThanOrEqualTo(atLeast);
  }

  private static Dump unlisted(Dump dump) {
    Map<ProcessGroup, GroupProgress> groups = new HashMap<>();
    dump.groups()
        .forEach(
            (g, progress) ->
                groups.put(
                    new ProcessGroup(g.name() + g.ranks(), g.description(), List.of()), progress));
    return new Dump(dump.rank(), groups, 0);
  }
}
