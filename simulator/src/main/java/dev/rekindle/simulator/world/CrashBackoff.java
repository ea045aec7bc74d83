package dev.rekindle.simulator.world;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * How long a kubelet waits before it restarts a container that has ended: nothing the first time,
 * then ten seconds, doubling up to five minutes, until the container has run for long.
 */
final class CrashBackoff {
  private static final Duration FIRST = Duration.ofSeconds(10);
  private static final Duration LONGEST = Duration.ofMinutes(5);

  /** A container that ran for so long has not crashed in a loop. */
  private static final Duration STABLE = Duration.ofMinutes(10);

  private record Crashes(int count, Instant started) {}

  private final Supplier<Instant> clock;

  /** Crashes without a long run in between, and when it was started last, by UID of the pod. */
  private final Map<String, Crashes> byPod = new HashMap<>();

  CrashBackoff(Supplier<Instant> clock) {
    this.clock = clock;
  }

  private Crashes crashes(String uid) {
    return byPod.getOrDefault(uid, new Crashes(0, clock.get()));
  }

  /** The container of the pod is started, after so many restarts. */
  void started(String uid, int restarts) {
    int before = restarts == 0 ? 0 : crashes(uid).count();
    byPod.put(uid, new Crashes(before, clock.get()));
  }

  /**
   * The container of the pod has ended.
   *
   * @return how long to wait before the restart
   */
  Duration ended(String uid) {
    Crashes last = crashes(uid);
    boolean stable = Duration.between(last.started(), clock.get()).compareTo(STABLE) >= 0;
    int count = stable ? 0 : last.count();
    byPod.put(uid, new Crashes(count + 1, last.started()));
    if (count == 0) {
      return Duration.ZERO;
    }
    Duration doubled = FIRST.multipliedBy(1L << Math.min(10, count - 1));
    return doubled.compareTo(LONGEST) < 0 ? doubled : LONGEST;
  }

  void forget(String uid) {
    byPod.remove(uid);
  }

  void clear() {
    byPod.clear();
  }
}
