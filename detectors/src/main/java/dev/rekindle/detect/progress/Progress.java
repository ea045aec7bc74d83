package dev.rekindle.detect.progress;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How far one run of a container has come.
 *
 * @param run which run of the container, 0 for the first
 * @param firstStep first step seen in this run; absent before one was seen, as are the others
 * @param firstStepTime when it was printed
 * @param lastStep the step that training is at
 * @param lastStepTime when it was reached
 */
public record Progress(
    int run,
    @Nullable Long firstStep,
    @Nullable Instant firstStepTime,
    @Nullable Long lastStep,
    @Nullable Instant lastStepTime) {

  /** A run that has shown no step yet. */
  static Progress begin(int run) {
    return new Progress(run, null, null, null, null);
  }
}
