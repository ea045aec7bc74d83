package dev.rekindle.controller.economics;

import dev.rekindle.api.LostGpuSeconds;
import dev.rekindle.api.RankReportStatus.Pace;
import dev.rekindle.api.TrainingTime;
import java.time.Instant;
import java.util.List;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** Adds up what one failure has cost a job. */
public final class LostWork {
  private LostWork() {}

  /**
   * Adds up one failure.
   *
   * @param lastStep when the last step before the failure was made; absent where none was seen
   * @param detected when the failure was known
   * @param trains when the first new step was made
   * @param repeatedSteps steps trained twice
   * @param secondsPerStep how long one takes; not counted where that is not known
   */
  public static LostGpuSeconds of(
      @Nullable Instant lastStep,
      Instant detected,
      Instant trains,
      long repeatedSteps,
      OptionalDouble secondsPerStep,
      long gpus) {
    return new LostGpuSeconds(
        lastStep == null ? 0 : TrainingTime.seconds(lastStep, detected) * gpus,
        TrainingTime.seconds(detected, trains) * gpus,
        Math.max(0, repeatedSteps) * Math.max(0, secondsPerStep.orElse(0)) * gpus);
  }

  /** How long a step takes, by the rank that most steps were measured of. */
  public static OptionalDouble secondsPerStep(List<Pace> paces) {
    return paces.stream()
        .filter(p -> p.intervals() > 0 && p.trainedSeconds() > 0)
        .max((a, b) -> Integer.compare(a.intervals(), b.intervals()))
        .map(p -> OptionalDouble.of((double) p.trainedSeconds() / p.intervals()))
        .orElse(OptionalDouble.empty());
  }
}
