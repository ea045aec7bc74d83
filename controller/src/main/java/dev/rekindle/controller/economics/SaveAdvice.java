package dev.rekindle.controller.economics;

import dev.rekindle.api.LoggedSaves;
import dev.rekindle.api.SaveEconomics;
import dev.rekindle.api.Saves;
import dev.rekindle.api.TrainingTime;
import java.util.Locale;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * What is said to the owner of a job of how it saves.
 *
 * @param text one sentence
 * @param figures the same as figures; absent where there is not enough data
 */
public record SaveAdvice(String text, @Nullable SaveEconomics figures) {
  /** Fewer intervals than that say nothing. */
  public static final int LEAST_INTERVALS = 3;

  /**
   * How often the job saves, how often it should, and what the difference costs. Pure.
   *
   * @param found its checkpoints as the last scan found them; absent where none were
   * @param logged its saves by its log; absent where no line was seen
   * @param time where its time went, with the failure that it is said after
   * @param gpus GPUs of the gang
   */
  public static SaveAdvice of(
      @Nullable Saves found, @Nullable LoggedSaves logged, @Nullable TrainingTime time, long gpus) {
    int intervals =
        Math.max(found == null ? 0 : found.intervals(), logged == null ? 0 : logged.intervals());
    Double apart = secondsApart(found, logged);
    if (apart == null) {
      return new SaveAdvice(
          "not enough data: %d intervals between checkpoints were seen, %d are needed"
              .formatted(intervals, LEAST_INTERVALS),
          null);
    }
    if (logged != null && logged.background()) {
      return new SaveAdvice(
          "saves every %s, in the background; what one costs the training is not seen"
              .formatted(time(apart)),
          null);
    }
    Economics costs = costs(logged, time);
    return costs == null
        ? new SaveAdvice(
            "saves every %s; not enough data on failures and on how long a save takes"
                .formatted(time(apart)),
            null)
        : of(apart, costs, gpus);
  }

  /** The same of an interval and costs that are known. */
  public static SaveAdvice of(double apart, Economics costs, long gpus) {
    SaveEconomics figures =
        new SaveEconomics(
            apart,
            costs.save(),
            costs.mtbf(),
            costs.restart(),
            costs.young(),
            costs.ettr(apart),
            costs.ettr(costs.young()),
            costs.lostGpuHoursPerDay(apart, gpus));
    return new SaveAdvice(
        String.format(
            Locale.ROOT,
            "saves every %s; every %s is best: ETTR %.3f instead of %.3f, %.0f GPU-h per day",
            time(apart),
            time(figures.bestSecondsApart()),
            figures.bestEttr(),
            figures.ettr(),
            figures.gpuHoursPerDay()),
        figures);
  }

  /** By its log where that has shown enough, else by the times of its checkpoints. */
  private static @Nullable Double secondsApart(
      @Nullable Saves found, @Nullable LoggedSaves logged) {
    if (logged != null && logged.intervals() >= LEAST_INTERVALS && logged.secondsApart() != null) {
      return logged.secondsApart();
    }
    return found == null || found.intervals() < LEAST_INTERVALS ? null : found.secondsApart();
  }

  /** What failures and saves cost the job, by its own record. */
  private static @Nullable Economics costs(
      @Nullable LoggedSaves logged, @Nullable TrainingTime time) {
    Double save = logged == null ? null : logged.secondsLong();
    if (time == null || save == null || !(save > 0)) {
      return null;
    }
    double recovery = time.infrastructureRecoverySeconds();
    double startup = time.programStartupSeconds();
    double trained = time.wallSeconds() - recovery - startup;
    OptionalDouble mtbf = Economics.observedMtbf(trained, time.failures());
    // It was started once more than it has failed.
    return mtbf.isPresent()
        ? new Economics(
            mtbf.getAsDouble(), save, recovery / time.failures() + startup / (time.failures() + 1))
        : null;
  }

  /** A length of time, for people. */
  static String time(double seconds) {
    return seconds < 120
        ? "%d s".formatted(Math.round(seconds))
        : "%d min".formatted(Math.round(seconds / 60));
  }
}
