package dev.rekindle.simulator.world;

import dev.rekindle.simulator.api.Change;
import java.time.Duration;

/** Starts the pods of warm spares where they are bound. */
final class SparePods {
  /** Between two looks at a node that does not answer. */
  private static final Duration AGAIN = Duration.ofSeconds(5);

  private final World world;

  SparePods(World world) {
    this.world = world;
  }

  void changed(Change<SpareObject> change) {
    SpareObject before = change.before();
    SpareObject after = change.after();
    if (after != null && !after.node().isEmpty() && (before == null || before.node().isEmpty())) {
      start(after, world.jitter(world.timing().podStart()));
    }
  }

  private void start(SpareObject spare, Duration delay) {
    world
        .loop()
        .after(
            delay,
            () ->
                world
                    .spares()
                    .find(spare.meta().key())
                    .filter(now -> now.meta().uid().equals(spare.meta().uid()))
                    .ifPresent(
                        now -> {
                          if (world.machine(now.node()).answers()) {
                            world.spares().patch(now.meta().key(), s -> s.withRunning(true));
                          } else {
                            start(now, AGAIN);
                          }
                        }));
  }
}
