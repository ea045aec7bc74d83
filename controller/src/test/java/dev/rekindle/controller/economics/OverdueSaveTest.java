package dev.rekindle.controller.economics;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.LoggedSaves;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RankView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OverdueSaveTest {
  private static final PodView POD = gang("a").getFirst();

  /** Its newest save was at step 1000 and T0; its newest intervals were of 100 steps, 600 s. */
  private static LoggedSaves saves(int intervals, @Nullable Instant begun) {
    return new LoggedSaves(
        intervals + 1, 1_000L, T0, intervals, 590.0, 600.0, 100L, 5.0, false, 0, begun);
  }

  private static RankView rank(long step, long seconds, @Nullable LoggedSaves saves) {
    return Given.rank(POD, step, T0.plusSeconds(seconds), T0.plusSeconds(seconds))
        .with(b -> b.firstStep(900L).firstStepTime(T0.minusSeconds(600)).saves(saves));
  }

  private static Optional<String> said(RankView... reports) {
    return OverdueSave.of(List.of(reports), null);
  }

  @ParameterizedTest
  @CsvSource({
    "1100, 600, false",
    "1200, 1200, false",
    "1201, 1200, false",
    "1200, 1201, false",
    "1201, 1201, true",
    // Slow steps, and an evaluation: time goes by.
    "1150, 99999, false",
    // Fast steps of a trainer that saves by the clock.
    "99999, 1000, false",
    // It went back.
    "500, 9999, false",
  })
  void shouldWaitForTwiceTheLongestIntervalInStepsAndInTime(
      long step, long seconds, boolean overdue) {
    assertThat(said(rank(step, seconds, saves(3, null))).isPresent()).isEqualTo(overdue);
  }

  @Test
  void shouldSayWhatStandsAndWhatToDo() {
    assertThat(said(rank(1_400, 2_400, saves(5, T0.plusSeconds(600)))).orElse(""))
        .isEqualTo(
            "no checkpoint since step 1000: 400 steps in 40 min, and one came every 100 steps (10"
                + " min) at most. A failure now costs all of these steps. Look at the log of pod "
                + POD.name()
                + " for an error of a save, and at the room on its storage; a save began at "
                + T0.plusSeconds(600)
                + " and has not ended");
  }

  @Test
  void shouldSayNothingWithoutARhythmOrSteps() {
    LoggedSaves stepless =
        new LoggedSaves(9, null, T0, 8, 600.0, 600.0, null, null, false, 0, null);

    assertThat(said()).isEmpty();
    assertThat(said(rank(9_999, 99_999, null))).isEmpty();
    assertThat(said(rank(9_999, 99_999, saves(2, null)))).isEmpty();
    assertThat(said(rank(9_999, 99_999, stepless))).isEmpty();
    assertThat(said(Given.rank(POD, null, null, T0).withSaves(saves(9, null)))).isEmpty();
  }

  /** A gang that was brought back and saves no more has shown no rhythm of its own. */
  @Test
  void shouldGoByTheRhythmOfBeforeTheRecovery() {
    List<RankView> restarted = List.of(rank(1_101, 601, null));

    assertThat(OverdueSave.of(restarted, null)).isEmpty();
    assertThat(OverdueSave.of(restarted, saves(3, null)).orElse("")).contains("since step 900");
    assertThat(OverdueSave.of(List.of(rank(1_100, 601, null)), saves(3, null))).isEmpty();
  }

  @Test
  void shouldListenToTheRankThatSaidTheNewestSave() {
    PodView other = gang("a").get(1);
    LoggedSaves older =
        new LoggedSaves(4, 500L, T0.minusSeconds(999), 3, 9.0, 9.0, 1L, null, false, 0, null);
    RankView behind = Given.rank(other, 1_150L, T0, T0).withSaves(older);

    assertThat(said(behind, rank(1_150, 700, saves(3, null)))).isEmpty();
  }

  /**
   * A job that keeps its rhythm, with intervals that differ by less than a factor of two and
   * evaluations in between, hears nothing, whenever it is checked.
   */
  @RepeatedTest(50)
  void shouldNeverBotherAJobThatKeepsItsRhythm(RepetitionInfo repetition) {
    Random random = new Random(repetition.getCurrentRepetition());
    long least = 1L + random.nextInt(500);
    double secondsPerStep = 0.1 + random.nextDouble() * 20;
    List<Long> steps = new ArrayList<>();
    List<Double> lengths = new ArrayList<>();
    long step = 0;
    double now = 0;
    for (int i = 0; i < 60; i++) {
      long interval = least + random.nextLong(least);
      double from = now;
      for (int part = 1; part <= 4; part++) {
        long at = step + interval * part / 4;
        now = from + (at - step) * secondsPerStep;
        if (steps.size() >= 3) {
          LoggedSaves known =
              new LoggedSaves(
                  steps.size() + 1,
                  step,
                  time(from),
                  steps.size(),
                  lengths.getLast(),
                  newest(lengths).max(Double::compare).orElseThrow(),
                  newest(steps).max(Long::compare).orElseThrow(),
                  null,
                  false,
                  0,
                  null);
          RankView report = Given.rank(POD, at, time(now), time(now)).withSaves(known);
          assertThat(OverdueSave.of(List.of(report), null)).isEmpty();
        }
      }
      steps.add(interval);
      lengths.add(now - from);
      step += interval;
      now += random.nextInt(4) == 0 ? random.nextDouble() * 3_600 : 0;
    }
  }

  private static <T> java.util.stream.Stream<T> newest(List<T> all) {
    return all.stream().skip(Math.max(0, all.size() - 5));
  }

  private static Instant time(double seconds) {
    return T0.plus(Duration.ofMillis(Math.round(seconds * 1_000)));
  }
}
