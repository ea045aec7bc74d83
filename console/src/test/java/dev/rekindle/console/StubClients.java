package dev.rekindle.console;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Replaces;
import jakarta.inject.Singleton;

/** Puts the API server in memory in the place of a real one. */
@Factory
final class StubClients {
  static final StubCluster CLUSTER = new StubCluster();

  @Singleton
  @Replaces(bean = KubernetesClient.class, factory = Clients.class)
  KubernetesClient kubernetes() {
    return CLUSTER.client();
  }
}
