package dev.rekindle.controller.economics;

import dev.rekindle.api.TrainingTime;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A stretch of time that is being split; nothing is counted outside of it. */
final class TimeSplit {
  private final Instant from;
  private final Instant until;
  double recovery;
  double startup;
  double wasted;
  double saving;

  TimeSplit(Instant from, Instant until) {
    this.from = from;
    this.until = until.isBefore(from) ? from : until;
  }

  Instant from() {
    return from;
  }

  /** Seconds between the two, as far as they are within the stretch. */
  double within(@Nullable Instant begin, @Nullable Instant end) {
    if (begin == null || end == null) {
      return 0;
    }
    Instant a = begin.isBefore(from) ? from : begin;
    Instant b = end.isAfter(until) ? until : end;
    return TrainingTime.seconds(a, b);
  }

  /** The sums with those before; what would be more than all of the time is left out. */
  TrainingTime sum(@Nullable TrainingTime before, int failures) {
    double left = Duration.between(from, until).toMillis() / 1000.0;
    double r = Math.min(recovery, left);
    double p = Math.min(startup, left - r);
    double w = Math.min(wasted, left - r - p);
    double c = Math.min(saving, left - r - p - w);
    return before == null
        ? new TrainingTime(from, until, failures, r, p, w, c)
        : new TrainingTime(
            before.since(),
            until,
            before.failures() + failures,
            before.infrastructureRecoverySeconds() + r,
            before.programStartupSeconds() + p,
            before.wastedProgressSeconds() + w,
            before.checkpointSaveSeconds() + c);
  }
}
