package dev.rekindle.controller.diagnosis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.diagnosis.TracePlayer.Line;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.LongPredicate;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Real trainers that compute, evaluate and save for ten minutes on a machine that others share are
 * not taken for stalled. Recorded by {@code testbed/trainers/record.py --long}.
 */
class RecordedTracesTest {
  private static final int HANGS = 3;

  @TempDir Path folder;

  private static List<Line> recorded(String name) throws IOException {
    try (InputStream packed =
            Objects.requireNonNull(
                RecordedTracesTest.class.getResourceAsStream("/traces/" + name + ".log.gz"));
        InputStream log = new GZIPInputStream(packed)) {
      // A bar has carriage returns inside of its line.
      List<String> lines = List.of(new String(log.readAllBytes(), UTF_8).split("\n"));
      Instant start = time(lines.getFirst());
      return lines.stream()
          .map(
              line ->
                  new Line(
                      Duration.between(start, time(line)).toMillis(),
                      line.substring(line.indexOf(' ') + 1)))
          .toList();
    }
  }

  private static Instant time(String line) {
    return Instant.parse(line.substring(0, line.indexOf(' ')));
  }

  private static List<Line> slower(List<Line> lines, int factor) {
    return lines.stream().map(l -> new Line(l.millis() * factor, l.text())).toList();
  }

  /** As they are, and slowed down as bigger models are, where no line names a time itself. */
  @ParameterizedTest
  @CsvSource({"ddp, 1", "ddp, 10", "ddp, 30", "huggingface, 1", "lightning, 1"})
  void shouldTakeNoPauseOfARealTrainerForAStallAndFindAHang(String trainer, int slower)
      throws IOException {
    List<Line> lines = slower(recorded(trainer), slower);

    assertThat(TracePlayer.stalledAt(lines, lines.getLast().millis(), folder.resolve("healthy")))
        .isNegative();
    findsAHang(lines);
  }

  /** It compiles again for 122 s after 83 s of training: the log alone does not show that. */
  @Test
  void shouldLeaveALoopAloneThatCompilesInTheMiddle() throws IOException {
    List<Line> lines = recorded("loop");
    long last = lines.getLast().millis();
    long from = time(lines, "step 1000 ");
    long until = time(lines, "step 1001 ");
    LongPredicate compiles = now -> now >= from && now <= until;

    assertThat(TracePlayer.stalledAt(lines, last, folder.resolve("log"))).isBetween(from, until);
    assertThat(TracePlayer.stalledAt(lines, last, folder.resolve("seen"), compiles)).isNegative();
    findsAHang(lines.stream().filter(line -> line.millis() > until).toList());
  }

  private static long time(List<Line> lines, String what) {
    return lines.stream().filter(l -> l.text().contains(what)).findFirst().orElseThrow().millis();
  }

  private void findsAHang(List<Line> lines) throws IOException {
    for (int hang = 1; hang <= HANGS; hang++) {
      List<Line> until = lines.subList(0, lines.size() * hang / HANGS);
      long last = until.getLast().millis();
      long verdict = TracePlayer.stalledAt(until, last + 1_000_000, folder.resolve("hang-" + hang));
      assertThat(verdict - last).as("hang %d", hang).isBetween(25_000L, 620_000L);
    }
  }

  /** The rows of the table in docs/benchmarks.md. */
  @ParameterizedTest
  @ValueSource(strings = {"loop", "ddp", "huggingface", "lightning"})
  void shouldStandInTheTableOfBenchmarks(String trainer) throws IOException {
    TracePlayer.Followed read = TracePlayer.read(recorded(trainer), folder.resolve("log"));

    assertThat(Files.readAllLines(Path.of("../docs/benchmarks.md")))
        .filteredOn(line -> line.startsWith("| `" + trainer))
        .contains(
            String.format(
                Locale.ROOT,
                "| `%s` | %,d | %,d | %.2f | %.2f |",
                trainer,
                read.progress().lastStep(),
                read.pace().intervals(),
                read.pace().p99Millis() / 1_000.0,
                read.pace().longestMillis() / 1_000.0));
  }
}
