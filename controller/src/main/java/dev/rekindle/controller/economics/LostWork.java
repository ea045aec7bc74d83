package dev.rekindle.controller.economics;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What one failure has cost a job, in GPU-seconds: the buckets into which a trainer's badput falls
 * (Google's ml-goodput-measurement knows the same ones).
 *
 * @param detection from the last step until the failure was known
 * @param restart from then until the first new step
 * @param repeated steps that are trained twice
 */
public record LostWork(double detection, double restart, double repeated) {
  /**
   * Adds up one failure.
   *
   * @param lastStep when the last step before the failure was made; absent where none was seen
   * @param detected when the failure was known
   * @param trains when the first new step was made
   * @param repeatedSteps steps trained twice
   * @param secondsPerStep how long one takes; not counted where that is not known
   */
  public static LostWork of(
      @Nullable Instant lastStep,
      Instant detected,
      Instant trains,
      long repeatedSteps,
      @Nullable Double secondsPerStep,
      long gpus) {
    double each = secondsPerStep == null ? 0 : secondsPerStep;
    return new LostWork(
        lastStep == null ? 0 : seconds(lastStep, detected) * gpus,
        seconds(detected, trains) * gpus,
        Math.max(0, repeatedSteps) * Math.max(0, each) * gpus);
  }

  /** All of it. */
  public double gpuSeconds() {
    return detection + restart + repeated;
  }

  private static double seconds(Instant from, Instant to) {
    return Math.max(0, Duration.between(from, to).toMillis() / 1000.0);
  }
}
