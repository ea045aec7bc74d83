package dev.rekindle.simulator.chaos;

import dev.rekindle.simulator.Simulation;
import java.time.Duration;
import java.time.Instant;
import java.util.random.RandomGenerator;

/** Draws when things happen. */
final class RandomTimes {
  private RandomTimes() {}

  /** Plans the action for fewer than so many moments between the two; maybe for none. */
  static void plan(
      Simulation simulation,
      RandomGenerator random,
      Instant from,
      Instant to,
      int fewerThan,
      Runnable action) {
    long window = Duration.between(from, to).toMillis();
    for (int i = random.nextInt(fewerThan); i > 0; i--) {
      simulation.at(from.plusMillis(random.nextLong(window)), action);
    }
  }
}
