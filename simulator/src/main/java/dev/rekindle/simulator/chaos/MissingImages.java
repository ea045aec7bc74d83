package dev.rekindle.simulator.chaos;

import dev.rekindle.simulator.Simulation;
import java.time.Instant;
import java.util.random.RandomGenerator;

/** A registry that is away for a while: pods that are created meanwhile cannot start. */
final class MissingImages extends DisturbanceSource {
  private static final int SEEDS = 9;
  private static final int MOST_MILLIS = 60_000;

  MissingImages(Simulation simulation, RandomGenerator random, Tenants.Listener listener) {
    super(simulation, random, listener);
  }

  /** Plans it all for the time between those two. */
  void plan(Instant from, Instant to) {
    calm = to;
    if (random.nextInt(SEEDS) == 0) {
      RandomTimes.plan(simulation, random, from, to, 3, this::strike);
    }
  }

  private void strike() {
    Instant until = simulation.now().plusMillis(1_000 + random.nextInt(MOST_MILLIS));
    listener.did(Disturbance.IMAGE_AWAY, "cluster", "no image can be pulled for a while");
    world.controlPlane().imagesAwayUntil(until.isBefore(calm) ? until : calm);
  }
}
