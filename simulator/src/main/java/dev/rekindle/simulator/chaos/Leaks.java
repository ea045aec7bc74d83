package dev.rekindle.simulator.chaos;

import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.PoolObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;

/**
 * Invariant 63: no pod is removed by force while a pool without a spare address for each pod of the
 * gang holds an address of the pod, unless the controller has waited for half a minute after its
 * grace period. Bound: its Node is there for {@link #UNDER_WAY}, as one that was deleted may still
 * count as gone (seed 94701779); nothing is checked after a clock of a controller was wrong. Why:
 * the next pod of that name gets no address for up to ten minutes, until Spiderpool compares UIDs.
 */
final class Leaks extends Check {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** Clocks of controllers differ by up to two seconds, and the API server counts in seconds. */
  private static final Duration CLOCKS = Duration.ofSeconds(5);

  Leaks(World world, Invariants all) {
    super(world, all, Invariant.LEAKS);
  }

  private boolean isKnown(String node) {
    return world
        .nodes()
        .find(node)
        .map(NodeObject::meta)
        .filter(m -> longAgo(m.created()))
        .isPresent();
  }

  @Override
  public void deleted(PodObject pod, Duration grace) {
    JobObject job = jobOf(pod).orElse(null);
    Instant deadline = pod.meta().deletionDeadline();
    if (!grace.isZero()
        || clocksWereWrong()
        || job == null
        || !isKnown(pod.node())
        || (deadline != null && !now().isBefore(deadline.plus(PATIENCE).minus(CLOCKS)))) {
      return;
    }
    for (PoolObject pool : world.spiderpool().pools().all()) {
      if (pool.free() < job.setup().ranks()
          && pool.bookings().stream().anyMatch(b -> b.uid().equals(pod.meta().uid()))) {
        broken(
            "pod %s is removed by force; pool %s has an address of it and %d to spare"
                .formatted(pod.meta().name(), pool.meta().name(), pool.free()));
      }
    }
  }
}
