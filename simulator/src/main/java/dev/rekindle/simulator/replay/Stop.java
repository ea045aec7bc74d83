package dev.rekindle.simulator.replay;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A time during which the job made no steps.
 *
 * @param start when steps stood, from the beginning of the trace
 * @param end when they went on; the end of the trace when they did not
 * @param over whether they went on
 * @param lostSteps steps that had to be made again
 * @param cause the first fault that explains it; absent when none does
 * @param detected when the controller, or a person, began to act; absent when neither did
 */
record Stop(
    Duration start,
    Duration end,
    boolean over,
    long lostSteps,
    @Nullable FaultKind cause,
    @Nullable Duration detected) {

  Duration length() {
    return end.minus(start);
  }

  Stop detectedAt(@Nullable Duration when) {
    return new Stop(start, end, over, lostSteps, cause, when);
  }
}
