package dev.rekindle.simulator.world;

import dev.rekindle.simulator.api.Change;
import java.time.Duration;

/** Starts the pods of warm spares where they are bound, and ends them where their nodes answer. */
final class SparePods {
  /** Between two checks of a node that does not answer. */
  private static final Duration AGAIN = Duration.ofSeconds(5);

  /** What waits in a spare ends at once when it is stopped. */
  private static final Duration ENDS = Duration.ofMillis(700);

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
    if (after != null
        && after.meta().terminating()
        && (before == null || !before.meta().terminating())) {
      end(after, world.jitter(ENDS));
    }
  }

  private void end(SpareObject spare, Duration delay) {
    world
        .loop()
        .after(
            delay,
            () -> {
              if (spare.node().isEmpty() || world.machine(spare.node()).answers()) {
                world.spares().remove(spare.meta().key(), spare.meta().uid());
              } else if (world.spares().find(spare.meta().key()).isPresent()) {
                end(spare, AGAIN);
              }
            });
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
