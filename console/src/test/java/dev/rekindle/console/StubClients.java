package dev.rekindle.console;

import dev.rekindle.detect.SteadyClock;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Replaces;
import jakarta.inject.Singleton;
import java.util.concurrent.atomic.AtomicLong;

/** Puts the API server in memory in the place of a real one. */
@Factory
final class StubClients {
  static final StubCluster CLUSTER = new StubCluster();

  /** Nanoseconds that have passed by the clock of the watches. */
  static final AtomicLong PASSED = new AtomicLong();

  @Singleton
  @Replaces(bean = KubernetesClient.class, factory = Clients.class)
  KubernetesClient kubernetes() {
    return CLUSTER.client();
  }

  @Singleton
  @Replaces(bean = SteadyClock.class, factory = Clients.class)
  SteadyClock clock() {
    return SteadyClock.of(PASSED::get);
  }
}
