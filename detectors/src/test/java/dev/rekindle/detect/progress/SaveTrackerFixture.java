package dev.rekindle.detect.progress;

import dev.rekindle.api.LoggedSaves;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A job that trains and saves, line by line. */
abstract class SaveTrackerFixture {
  static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");
  final SaveTracker tracker = new SaveTracker();
  Instant now = T0;

  @Nullable Long step;

  void train(int steps) {
    for (int i = 0; i < steps; i++) {
      now = now.plusSeconds(1);
      step = step == null ? 1L : step + 1;
      tracker.step();
    }
  }

  void says(SaveLine line) {
    tracker.take(now, line, step);
  }

  void waits(long seconds) {
    now = now.plusSeconds(seconds);
  }

  LoggedSaves saves() {
    return tracker.saves().orElseThrow();
  }
}
