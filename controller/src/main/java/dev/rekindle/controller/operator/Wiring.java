package dev.rekindle.controller.operator;

import dev.rekindle.controller.checkpoint.InspectorJob;
import dev.rekindle.controller.cluster.Changes;
import dev.rekindle.controller.cluster.FabricGateway;
import dev.rekindle.controller.cluster.FabricState;
import dev.rekindle.controller.cluster.JobKey;
import dev.rekindle.controller.fence.FenceReconciler;
import dev.rekindle.controller.journal.Metrics;
import dev.rekindle.controller.recovery.JobReconciler;
import dev.rekindle.controller.runtime.Backoff;
import dev.rekindle.controller.runtime.KeyedQueue;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.Factory;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import jakarta.inject.Provider;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.random.RandomGenerator;

/** What is made of what. The only place that knows the system clock and the chance. */
@Factory
final class Wiring {
  private static final int REQUEST_TIMEOUT_MILLIS = 10_000;
  private static final int CONNECTION_TIMEOUT_MILLIS = 5_000;
  private static final Duration WATCH_RETRY = Duration.ofSeconds(30);
  private static final Duration FIRST_DELAY = Duration.ofMillis(200);
  private static final Duration LONGEST_DELAY = Duration.ofSeconds(30);

  @Singleton
  InstantSource clock() {
    return InstantSource.system();
  }

  @Singleton
  @Bean(preDestroy = "close")
  KubernetesClient client() {
    // Calls are repeated at one place, in the gateway.
    Config config =
        new ConfigBuilder()
            .withRequestRetryBackoffLimit(0)
            .withRequestTimeout(REQUEST_TIMEOUT_MILLIS)
            .withConnectionTimeout(CONNECTION_TIMEOUT_MILLIS)
            .withUserAgent("rekindle-controller")
            .build();
    return new KubernetesClientBuilder().withConfig(config).build();
  }

  @Singleton
  PrometheusRegistry registry() {
    PrometheusRegistry registry = new PrometheusRegistry();
    JvmMetrics.builder().register(registry);
    return registry;
  }

  @Singleton
  Metrics metrics(PrometheusRegistry registry) {
    return new Metrics(registry);
  }

  @Singleton
  @Bean(preDestroy = "shutdownNow")
  ScheduledExecutorService timer() {
    return Executors.newScheduledThreadPool(
        2, Thread.ofPlatform().name("timer-", 0).daemon().factory());
  }

  @Singleton
  FabricState state(
      KubernetesClient client,
      ScheduledExecutorService timer,
      KeyedQueue<JobKey> jobs,
      KeyedQueue<String> nodes) {
    Changes changes =
        new Changes() {
          @Override
          public void job(JobKey key) {
            jobs.add(key);
          }

          @Override
          public void node(String name) {
            nodes.add(name);
          }
        };
    return new FabricState(client, changes, timer, WATCH_RETRY);
  }

  @Singleton
  FabricGateway gateway(
      KubernetesClient client, FabricState state, ControllerConfig config, InstantSource clock) {
    return new FabricGateway(
        client,
        state,
        new InspectorJob(config.inspectorImage(), config.inspectorPullPolicy()),
        config.lease().identity(),
        clock);
  }

  @Singleton
  JobReconciler jobReconciler(
      FabricState state, FabricGateway gateway, Metrics metrics, InstantSource clock) {
    return new JobReconciler(state, gateway, metrics, clock);
  }

  @Singleton
  FenceReconciler fenceReconciler(FabricState state, FabricGateway gateway) {
    return new FenceReconciler(state, gateway);
  }

  /** Made before its reconciler, which reads the state, which tells this queue. */
  @Singleton
  KeyedQueue<JobKey> jobs(Provider<JobReconciler> reconciler, InstantSource clock) {
    return new KeyedQueue<>("jobs", key -> reconciler.get().reconcile(key), backoff(), clock);
  }

  @Singleton
  KeyedQueue<String> nodes(Provider<FenceReconciler> reconciler, InstantSource clock) {
    return new KeyedQueue<>("nodes", key -> reconciler.get().reconcile(key), backoff(), clock);
  }

  private static Backoff backoff() {
    return new Backoff(FIRST_DELAY, LONGEST_DELAY, RandomGenerator.getDefault());
  }
}
