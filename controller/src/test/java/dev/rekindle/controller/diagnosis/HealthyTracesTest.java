package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.nodes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RankReportStatus;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.detect.progress.PodProgress;
import dev.rekindle.detect.progress.StepPattern;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Healthy training with the pauses that programs make is never taken for a stall, and a hang is
 * found soon: the log as the agent reads it, every five seconds, and the verdict on each report.
 */
class HealthyTracesTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final Duration REPORT = Duration.ofSeconds(5);
  private static final List<PodView> PODS = gang("a");
  private static final int TRACES = 50;
  private static final int STEPS = 2_200;

  @TempDir Path folder;

  /** A line of a log. */
  private record Line(long millis, String text) {}

  /**
   * A job: one line every so many steps; checkpoints without a line that take at most a tenth of
   * the time between two of them, and at most 110 s; evaluations that a line announces;
   * compilations of half a minute and garbage collections in between.
   */
  private static List<Line> trace(Random random) {
    List<Line> lines = new ArrayList<>();
    long step = 200L + random.nextInt(4_000);
    int every = List.of(1, 1, 1, 5, 10).get(random.nextInt(5));
    int checkpointEvery = 50 + random.nextInt(600);
    int evaluationEvery = 100 + random.nextInt(1_000);
    long checkpoint =
        Math.min(110_000, (long) (checkpointEvery * step * 0.1 * random.nextDouble()));
    long evaluation = 20_000L + random.nextInt(500_000);
    double spread = random.nextDouble() * 0.3;
    long now = 60_000L + random.nextInt(200_000);
    for (int i = 1; i <= STEPS; i++) {
      now += Math.max(1, (long) (step * Math.exp(spread * random.nextGaussian())));
      if (i <= 2) {
        now += 10_000L + random.nextInt(90_000);
      }
      if (random.nextInt(400) == 0) {
        now += 2_000L + random.nextInt(8_000);
      }
      if (i % every == 0) {
        lines.add(new Line(now, "step " + i + " loss 2.1"));
      }
      if (i % checkpointEvery == 0) {
        now += checkpoint;
      }
      if (i % evaluationEvery == 0) {
        lines.add(new Line(now + 5, "***** Running Evaluation *****"));
        now += evaluation;
        lines.add(new Line(now, "evaluation took " + evaluation / 1000 + " s"));
      }
    }
    return lines;
  }

  /** When the verdict was to recover, in milliseconds; negative where it never was. */
  private long played(List<Line> lines, long until, Path log) throws IOException {
    Files.createDirectories(log);
    var file = log.resolve("0.log");
    Files.writeString(file, "");
    int next = 0;
    long stoodSince = 0;
    try (var progress = new PodProgress(log, StepPattern.byDefault())) {
      for (long now = 0; now <= until; now += REPORT.toMillis()) {
        var text = new StringBuilder();
        for (; next < lines.size() && lines.get(next).millis() <= now; next++) {
          var line = lines.get(next);
          text.append(START.plusMillis(line.millis()) + " stdout F " + line.text() + "\n");
        }
        long before = progress.signs();
        Files.writeString(file, text, StandardOpenOption.APPEND);
        progress.poll();
        if (progress.signs() != before) {
          stoodSince = now;
        }
        if (recovers(progress, now, stoodSince)) {
          return now;
        }
      }
    }
    return -1;
  }

  private static boolean recovers(PodProgress log, long now, long stoodSince) {
    Instant at = START.plusMillis(now);
    var p = log.progress();
    var pace = log.pace();
    var reported =
        new RankReportStatus.Pace(
            pace.intervals(),
            pace.ofThisRun(),
            pace.p99Millis(),
            pace.longestMillis(),
            pace.trainedMillis() / 1000,
            (now - stoodSince) / 1000,
            pace.pausing());
    // Rank 0 prints the steps; the agents of the others report that they are there.
    List<RankView> ranks =
        new ArrayList<>(Given.ranks(PODS, null, null, at).stream().skip(1).toList());
    ranks.add(Given.rank(PODS.getFirst(), p.lastStep(), p.lastStepTime(), at).withPace(reported));
    var s = new JobSnapshot(job().view(), PODS, nodes(), List.of(), ranks, List.of());
    return Stalls.stalled(s, Policy.DEFAULT, at)
        .filter(Verdict.Recover.class::isInstance)
        .isPresent();
  }

  /**
   * Hugging Face's Trainer with its bars alone: a step each two seconds, and an evaluation of
   * twenty minutes each 300 steps, which no line announces. The log holds a line as soon as the
   * program ends it, which a bar below another does at once.
   */
  private static List<Line> barsOfHuggingFace(int steps) {
    List<Line> lines = new ArrayList<>();
    long now = 60_000;
    for (int i = 1; i <= steps; i++) {
      now += 2_000;
      lines.add(new Line(now, "\r  9%%|▉ | %d/9000 [00:32<03:55,  3.73it/s]".formatted(i)));
      if (i % 300 == 0) {
        for (int n = 1; n <= 200; n++) {
          now += 6_000;
          lines.add(
              new Line(now, "\r  5%%|▌ | %d/200 [00:01<00:19,  9.73it/s]\u001b[A".formatted(n)));
        }
      }
    }
    return lines;
  }

  @Test
  void shouldTakeNoEvaluationWithABarForAStallAndFindAHangInEither() throws IOException {
    var lines = barsOfHuggingFace(900);
    assertThat(played(lines, lines.getLast().millis(), folder.resolve("bars"))).isNegative();
    for (int hangs : List.of(290, 400, 1_290)) {
      long last = lines.get(hangs).millis();
      long verdict =
          played(lines.subList(0, hangs + 1), last + 1_000_000, folder.resolve("bars-" + hangs));
      assertThat(verdict - last).as("at line %d", hangs).isBetween(25_000L, 610_000L);
    }
  }

  @Test
  void shouldTakeNoPauseForAStallAndFindAHangSoon() throws IOException {
    long[] found = new long[TRACES];
    for (int seed = 0; seed < TRACES; seed++) {
      var random = new Random(seed);
      var lines = trace(random);
      long end = lines.getLast().millis();
      assertThat(played(lines, end, folder.resolve("healthy-" + seed)))
          .as("trace %d", seed)
          .isNegative();

      int hangs = 200 + random.nextInt(lines.size() - 200);
      var until = lines.subList(0, hangs);
      long last = until.getLast().millis();
      long verdict = played(until, last + 1_000_000, folder.resolve("hang-" + seed));
      found[seed] = verdict - last;
      assertThat(found[seed]).as("trace %d", seed).isBetween(30_000L, 610_000L);
    }
    Arrays.sort(found);
    assertThat(Path.of("../docs/benchmarks.md"))
        .content()
        .contains(
            "%d s at least, %d s in the middle, %d s at 90 %%, %d s at most"
                .formatted(
                    found[0] / 1000,
                    found[TRACES / 2] / 1000,
                    found[TRACES * 9 / 10] / 1000,
                    found[TRACES - 1] / 1000));
  }
}
