package dev.rekindle.controller.economics;

import static dev.rekindle.controller.Given.T0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.rekindle.api.LoggedSaves;
import dev.rekindle.api.LostGpuSeconds;
import dev.rekindle.api.RankReportStatus.Pace;
import dev.rekindle.api.SaveEconomics;
import dev.rekindle.api.Saves;
import dev.rekindle.api.TrainingTime;
import dev.rekindle.controller.model.Inspection.Checkpoint;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EconomicsTest {
  /** 64 nodes of 8 GPUs, 6.5 failures per 1,000 node-days; a save of 60 s, a restart of 600 s. */
  private static final Economics WORKED = new Economics(Economics.mtbf(64, 0.0065), 60, 600);

  @Test
  void shouldComputeTheWorkedLine() {
    assertThat(WORKED.mtbf() / 3_600).isCloseTo(57.7, within(0.05));
    assertThat(WORKED.young() / 60).isCloseTo(83.2, within(0.1));
    assertThat(WORKED.daly() / 60).isCloseTo(82.6, within(0.2));
    assertThat(WORKED.ettr(WORKED.young())).isCloseTo(0.973, within(0.0005));
    assertThat(WORKED.ettr(6 * 3_600)).isCloseTo(0.942, within(0.0005));
    assertThat(WORKED.lostGpuHoursPerDay(6 * 3_600, 512)).isCloseTo(380, within(5.0));
  }

  /** No interval is much better than Young's: it is the optimum of an approximation. */
  @RepeatedTest(20)
  void shouldFindNoMuchBetterInterval(RepetitionInfo repetition) {
    Random random = new Random(repetition.getCurrentRepetition());
    double mtbf = 3_600 * (1 + random.nextDouble() * 200);
    Economics costs = new Economics(mtbf, 1 + random.nextDouble() * 120, random.nextDouble() * 900);
    double best = costs.ettr(costs.young());
    for (double interval = 10; interval < mtbf; interval *= 1.3) {
      assertThat(costs.ettr(interval)).isBetween(0.0, 1.0).isLessThan(best + 0.01);
      assertThat(costs.lostGpuHoursPerDay(interval, 8)).isNotNegative();
    }
  }

  @ParameterizedTest
  @CsvSource({"0, 1, 1", "-1, 1, 1", "NaN, 1, 1", "1, 0, 1", "1, 1, -1", "Infinity, 1, 1"})
  void shouldRefuseWhatIsNoTime(double mtbf, double save, double restart) {
    assertThatThrownBy(() -> new Economics(mtbf, save, restart))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldKnowTheTimeBetweenFailuresAfterTwo() {
    assertThat(Economics.observedMtbf(7_200, 1)).isEmpty();
    assertThat(Economics.observedMtbf(0, 2)).isEmpty();
    assertThat(Economics.observedMtbf(7_200, 2)).hasValue(3_600);
  }

  private static Checkpoint checkpoint(long step, @Nullable Instant modified, String verdict) {
    return new Checkpoint("/ckpt/" + step, step, 1, modified, verdict, "L3", "");
  }

  private static List<Checkpoint> every(long minutes, int count) {
    List<Checkpoint> all = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      all.add(checkpoint(i * 100L, T0.plus(Duration.ofMinutes(i * minutes)), "valid"));
    }
    return all;
  }

  @Test
  void shouldReadIntervalsOffValidCheckpoints() {
    assertThat(SaveIntervals.of(List.of())).isEmpty();
    assertThat(SaveIntervals.of(List.of(checkpoint(5, T0, "torn")))).isEmpty();
    assertThat(SaveIntervals.of(List.of(checkpoint(5, T0, "valid"))))
        .contains(new Saves(1, 5, 5, T0, null, null));
    List<Checkpoint> four = every(10, 4);
    four.add(checkpoint(450, T0, "torn"));
    assertThat(SaveIntervals.of(four))
        .contains(new Saves(4, 100, 400, T0.plus(Duration.ofMinutes(40)), 100L, 600.0));
    four.add(checkpoint(700, T0.minusSeconds(9), "valid"));
    assertThat(SaveIntervals.of(four))
        .as("one of another course")
        .contains(new Saves(5, 100, 700, T0.plus(Duration.ofMinutes(40)), 300L, 600.0));
  }

  @Test
  void shouldAdviseOnceThereIsEnoughData() {
    assertThat(SaveAdvice.of(null, null, TIME, 512).text())
        .startsWith("not enough data: 0 intervals");
    Saves three = SaveIntervals.of(every(10, 3)).orElseThrow();
    assertThat(SaveAdvice.of(three, logged(2, 60, false), TIME, 512).text())
        .startsWith("not enough data: 2 intervals");
    Saves rare = SaveIntervals.of(every(360, 4)).orElseThrow();
    assertThat(SaveAdvice.of(rare, null, TIME, 512).text())
        .contains("saves every 360 min; not enough data on");
    assertThat(SaveAdvice.of(rare, logged(2, 60, false), null, 512).figures()).isNull();
    assertThat(SaveAdvice.of(6 * 3_600, WORKED, 512).text())
        .isEqualTo(
            "saves every 360 min; every 83 min is best: ETTR 0.973 instead of 0.942, 380 GPU-h per"
                + " day");
  }

  /** 30 days, 10 failures, of each 8 min until it was started again and 2 min until it trained. */
  private static final TrainingTime TIME =
      new TrainingTime(T0, T0.plus(Duration.ofDays(30)), 10, 10 * 480.0, 11 * 120.0, 36_000, 7_200);

  private static LoggedSaves logged(int intervals, double secondsLong, boolean background) {
    return new LoggedSaves(
        intervals + 1,
        100L,
        T0,
        intervals,
        intervals == 0 ? null : Double.valueOf(3_600),
        intervals == 0 ? null : Double.valueOf(3_600),
        100L,
        secondsLong,
        background,
        0,
        null);
  }

  @Test
  void shouldAdviseByTheOwnRecordOfTheJob() {
    SaveAdvice advice = SaveAdvice.of(null, logged(3, 60, false), TIME, 512);

    SaveEconomics figures = Objects.requireNonNull(advice.figures());
    assertThat(figures.secondsApart()).isEqualTo(3_600);
    assertThat(figures.secondsLong()).isEqualTo(60);
    assertThat(figures.restartSeconds()).isEqualTo(600);
    assertThat(figures.mtbfSeconds()).isCloseTo((30 * 86_400.0 - 4_800 - 1_320) / 10, within(1e-6));
    assertThat(figures.bestSecondsApart())
        .isCloseTo(Math.sqrt(2 * 60 * figures.mtbfSeconds()), within(1e-6));
    assertThat(figures.bestEttr()).isGreaterThanOrEqualTo(figures.ettr());
    assertThat(advice.text()).startsWith("saves every 60 min; every 93 min is best");
  }

  @Test
  void shouldNotAdviseWhatIsNotKnown() {
    TrainingTime once = new TrainingTime(T0, T0.plusSeconds(9_999), 1, 9, 9, 9, 9);

    assertThat(SaveAdvice.of(null, logged(3, 60, false), once, 8).figures()).isNull();
    assertThat(SaveAdvice.of(null, logged(3, 0, false), TIME, 8).figures()).isNull();
    assertThat(SaveAdvice.of(null, logged(9, 60, true), TIME, 8).text())
        .isEqualTo(
            "saves every 60 min, in the background; what one costs the training is not seen");
  }

  @Test
  void shouldCountAllThatAFailureCosts() {
    OptionalDouble each =
        LostWork.secondsPerStep(
            List.of(
                new Pace(3, 3, 0, 0, 90, 0, false),
                new Pace(100, 5, 0, 0, 50, 0, false),
                new Pace(0, 0, 0, 0, 0, 0, false)));
    assertThat(each).hasValue(0.5);
    LostGpuSeconds lost = LostWork.of(T0, T0.plusSeconds(30), T0.plusSeconds(90), 40, each, 16);
    assertThat(lost).isEqualTo(new LostGpuSeconds(480, 960, 320));
    assertThat(lost.total()).isEqualTo(1_760);
    OptionalDouble unknown = LostWork.secondsPerStep(List.of());
    assertThat(LostWork.of(null, T0, T0.minusSeconds(1), -5, unknown, 16).total()).isZero();
  }
}
