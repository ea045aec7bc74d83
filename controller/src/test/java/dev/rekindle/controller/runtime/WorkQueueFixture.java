package dev.rekindle.controller.runtime;

import dev.rekindle.detect.SteadyClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** A queue and a clock of its own. */
abstract class WorkQueueFixture {
  static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  Instant now = START;
  final SteadyClock clock = SteadyClock.over(() -> now);
  final List<String> reconciled = new ArrayList<>();

  final WorkQueue<String> queue =
      new WorkQueue<>(
          "test",
          new Backoff(Duration.ofMillis(200), Duration.ofSeconds(30), new Random(1)),
          clock);

  void pass(Duration time) {
    now = now.plus(time);
  }

  int drain(Reconciler<String> reconciler) {
    int steps = 0;
    while (queue.step(reconciler)) {
      steps++;
    }
    return steps;
  }

  Optional<Duration> record(String key) {
    reconciled.add(key);
    return Optional.empty();
  }
}
