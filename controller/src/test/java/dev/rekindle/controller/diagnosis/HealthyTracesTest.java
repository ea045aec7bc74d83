package dev.rekindle.controller.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.diagnosis.TracePlayer.Line;
import java.io.IOException;
import java.nio.file.Path;
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
  private static final int TRACES = 50;
  private static final int STEPS = 2_200;

  @TempDir Path folder;

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
        lines.add(Line.of(now, "step " + i + " loss 2.1"));
      }
      if (i % checkpointEvery == 0) {
        now += checkpoint;
      }
      if (i % evaluationEvery == 0) {
        lines.add(Line.of(now + 5, "***** Running Evaluation *****"));
        now += evaluation;
        lines.add(Line.of(now, "evaluation took " + evaluation / 1000 + " s"));
      }
    }
    return lines;
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
      lines.add(Line.of(now, "\r  9%%|▉ | %d/9000 [00:32<03:55,  3.73it/s]".formatted(i)));
      if (i % 300 == 0) {
        for (int n = 1; n <= 200; n++) {
          now += 6_000;
          lines.add(
              Line.of(now, "\r  5%%|▌ | %d/200 [00:01<00:19,  9.73it/s]\u001b[A".formatted(n)));
        }
      }
    }
    return lines;
  }

  @Test
  void shouldTakeNoEvaluationWithABarForAStallAndFindAHangInEither() throws IOException {
    var lines = barsOfHuggingFace(900);
    assertThat(TracePlayer.stalledAt(lines, lines.getLast().millis(), folder.resolve("bars")))
        .isNegative();
    for (int hangs : List.of(290, 400, 1_290)) {
      long last = lines.get(hangs).millis();
      long verdict =
          TracePlayer.stalledAt(
              lines.subList(0, hangs + 1), last + 1_000_000, folder.resolve("bars-" + hangs));
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
      assertThat(TracePlayer.stalledAt(lines, end, folder.resolve("healthy-" + seed)))
          .as("trace %d", seed)
          .isNegative();

      int hangs = 200 + random.nextInt(lines.size() - 200);
      var until = lines.subList(0, hangs);
      long last = until.getLast().millis();
      long verdict = TracePlayer.stalledAt(until, last + 1_000_000, folder.resolve("hang-" + seed));
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
