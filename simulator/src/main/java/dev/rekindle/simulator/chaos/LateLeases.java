package dev.rekindle.simulator.chaos;

import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.process.LeaseCalls;
import java.time.Duration;
import java.time.Instant;
import java.util.random.RandomGenerator;

/**
 * In a share of the seeds some renewals of the lease are answered seconds after they took effect,
 * and half of the leaders are paused at that moment, until about when another one may lead.
 */
final class LateLeases extends DisturbanceSource {
  private static final int SEEDS = 10;
  private static final int LATE = 3;
  private static final int LEAST_MILLIS = 1_000;
  private static final int MORE_MILLIS = 8_000;

  /** So much earlier or later than the lease ends. */
  private static final int ABOUT_MILLIS = 1_000;

  LateLeases(Simulation simulation, RandomGenerator random, Tenants.Listener listener) {
    super(simulation, random, listener);
  }

  /** Plans it all for the time until then. */
  void plan(Instant to) {
    calm = to;
    if (random.nextInt(SEEDS) > 0) {
      return;
    }
    simulation
        .fleet()
        .leaseCalls(
            new LeaseCalls() {
              @Override
              public Duration answer() {
                return isCalm() || random.nextInt(LATE) > 0 ? Duration.ZERO : late();
              }

              @Override
              public Duration afterStandstill() {
                return Duration.ofMillis(random.nextInt(ABOUT_MILLIS));
              }
            });
  }

  private Duration late() {
    int millis = LEAST_MILLIS + random.nextInt(MORE_MILLIS);
    listener.did(
        Disturbance.LEASE_ANSWERED_LATE,
        "API server",
        "answers a renewal %d ms late".formatted(millis));
    if (random.nextBoolean()) {
      long end = simulation.fleet().lease().toMillis() - millis - ABOUT_MILLIS;
      Duration standstill = Duration.ofMillis(end + random.nextInt(millis + 2 * ABOUT_MILLIS));
      simulation.at(
          simulation.now().plusMillis(millis + 1),
          () -> {
            if (!isCalm()) {
              simulation.fleet().pauseLeader(standstill);
            }
          });
    }
    return Duration.ofMillis(millis);
  }
}
