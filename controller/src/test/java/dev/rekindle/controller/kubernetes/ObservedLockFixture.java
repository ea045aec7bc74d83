package dev.rekindle.controller.kubernetes;

import dev.rekindle.controller.runtime.LeaseTerm;
import dev.rekindle.detect.SteadyClock;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaderElectionRecord;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.Lock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A lease in an API server that a test controls. */
abstract class ObservedLockFixture {
  static final Duration LEASE = Duration.ofSeconds(15);

  static final ZonedDateTime NOON = ZonedDateTime.of(2026, 1, 1, 12, 0, 0, 0, ZoneOffset.UTC);
  final KubernetesClient client = new KubernetesClientBuilder().build();
  final AtomicLong seconds = new AtomicLong();
  final AtomicInteger taken = new AtomicInteger();
  final Stored stored = new Stored();
  long wallIsAheadBy;
  final SteadyClock steady = SteadyClock.of(() -> seconds.get() * 1_000_000_000);
  final LeaseTerm term = new LeaseTerm(steady, LEASE);

  final ObservedLock lock =
      new ObservedLock(
          stored,
          steady,
          () -> NOON.plusSeconds(seconds.get() + wallIsAheadBy),
          taken::incrementAndGet,
          term,
          _ -> 0L);

  /** What the API server has. */
  static final class Stored implements Lock {
    @Nullable LeaderElectionRecord record;
    final ArrayDeque<Runnable> troubles = new ArrayDeque<>();
    int calls;

    /** What befalls the next call, before it is made. */
    void meet() {
      calls++;
      Runnable trouble = troubles.poll();
      if (trouble != null) {
        trouble.run();
      }
    }

    @Override
    public @Nullable LeaderElectionRecord get(KubernetesClient client) {
      meet();
      return record;
    }

    @Override
    public void create(KubernetesClient client, LeaderElectionRecord made) {
      meet();
      record = made;
    }

    @Override
    public void update(KubernetesClient client, LeaderElectionRecord changed) {
      meet();
      record = changed;
    }

    @Override
    public String identity() {
      return "me";
    }

    @Override
    public String describe() {
      return "lease";
    }
  }

  static LeaderElectionRecord renewed(String holder, ZonedDateTime at) {
    return new LeaderElectionRecord(holder, LEASE, NOON, at, 1);
  }

  /** As the elector asks. */
  boolean isFree() {
    LeaderElectionRecord seen = Objects.requireNonNull(lock.get(client));
    return NOON.plusSeconds(seconds.get() + wallIsAheadBy)
        .isAfter(seen.getRenewTime().plus(seen.getLeaseDuration()));
  }
}
