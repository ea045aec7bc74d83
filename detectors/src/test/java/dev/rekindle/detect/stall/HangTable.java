package dev.rekindle.detect.stall;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rekindle.cli.CommandTree;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * What recorded hangs are judged to be, by each way in which they are, and what docs/benchmarks.md
 * says.
 */
record HangTable(List<RecordedHang> hangs, List<String> kinds) {
  /** Ranks that are named: a guess names none. */
  static Set<Integer> analyze(RecordedHang hang, Path... paths) {
    var out = new ByteArrayOutputStream();
    var stream = new PrintStream(out, true, StandardCharsets.UTF_8);
    var args =
        Stream.concat(
                Stream.of("--json", "--ranks", String.valueOf(hang.ranks())),
                Stream.of(paths).map(Path::toString))
            .toList();
    CommandTree.run(new AnalyzeMain(stream), args, stream, stream);
    try {
      var report = new ObjectMapper().readTree(out.toString(StandardCharsets.UTF_8));
      return report.get("confidence").asText().equals("low")
          ? Set.of()
          : report.get("culprits").valueStream().map(c -> c.get("rank").asInt()).collect(toSet());
    } catch (IOException e) {
      throw new IllegalStateException(hang.name(), e);
    }
  }

  static Set<Integer> reported(RecordedHang hang) {
    if (MovingJob.trains(hang.reported(), hang.ranks())) {
      return Set.of();
    }
    var report = EvidenceAnalysis.of(hang.reported(), hang.ranks(), Instant.EPOCH);
    return report.confidence() == Confidence.LOW
        ? Set.of()
        : report.culprits().stream().map(Culprit::rank).collect(toSet());
  }

  /** Right, wrong and silent, by kind. */
  private Map<String, int[]> judged(
      Function<RecordedHang, Set<Integer>> judge, Map<String, String> wrong) {
    Map<String, int[]> tally = new LinkedHashMap<>();
    kinds.forEach(kind -> tally.put(kind, new int[3]));
    for (var hang : hangs) {
      var named = judge.apply(hang);
      var truth = hang.culprit().map(Set::of).orElse(Set.of());
      int column = named.equals(truth) ? 0 : named.isEmpty() ? 2 : 1;
      tally.getOrDefault(hang.kind(), new int[3])[column]++;
      if (column == 1) {
        wrong.put(hang.name(), "names " + named);
      }
    }
    return tally;
  }

  private static String row(String tool, Map<String, int[]> tally) {
    var sum = new int[3];
    tally.values().forEach(c -> Stream.of(0, 1, 2).forEach(i -> sum[i] += c[i]));
    return Stream.concat(
            Stream.of(tool),
            Stream.concat(tally.values().stream(), Stream.of(sum)).map(c -> text(c)))
        .collect(joining(" | ", "| ", " |"));
  }

  private static String text(int[] counts) {
    return counts[0] + "/" + counts[1] + "/" + counts[2];
  }

  void check(String tool, Function<RecordedHang, Set<Integer>> judge, Map<String, String> expected)
      throws IOException {
    Map<String, String> wrong = new TreeMap<>();
    var row = row(tool, judged(judge, wrong));
    assertThat(wrong).as(row).isEqualTo(expected);
    assertThat(Files.readString(Path.of("../docs/benchmarks.md")).contains(row)).as(row).isTrue();
  }

  void checkThatNoneIsNamedWithHighConfidenceThatIsNotAtFault() {
    for (var hang : hangs) {
      var report = EvidenceAnalysis.of(hang.reported(), hang.ranks(), Instant.EPOCH);
      if (report.confidence() == Confidence.HIGH) {
        assertThat(report.culprits().stream().map(Culprit::rank).findFirst())
            .as("%s: %s", hang.name(), report)
            .isEqualTo(Optional.of(hang.culprit().orElse(-1)));
      }
    }
  }
}
