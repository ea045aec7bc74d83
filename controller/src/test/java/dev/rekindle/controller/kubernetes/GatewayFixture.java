package dev.rekindle.controller.kubernetes;

import dev.rekindle.controller.IgnoredChanges;
import dev.rekindle.controller.kubernetes.convert.InspectorJob;
import dev.rekindle.controller.kubernetes.convert.SparePod;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.detect.WatchedNamespaces;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import java.time.Instant;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * A gateway against the mock API server, as far as the mock behaves like a real one. It keeps the
 * nulls of a merge patch, mixes lists up and takes a status of any version; pods, their deletion
 * and conflicts are tested on the testbed.
 */
@EnableKubernetesMockClient(crud = true)
abstract class GatewayFixture {
  static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  static final JobKey JOB = new JobKey("team", "mnist");

  @SuppressWarnings("NullAway.Init") // set by the extension
  KubernetesClient client;

  Instant now = NOW;
  final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

  @SuppressWarnings("NullAway.Init") // set before each test
  KubernetesCache state;

  @SuppressWarnings("NullAway.Init") // set before each test
  KubernetesGateway gateway;

  @BeforeEach
  void setUp() {
    state =
        new KubernetesCache(
            client,
            new IgnoredChanges(),
            timer,
            KubernetesCacheTest.RETRY,
            WatchedNamespaces.ALL,
            false,
            _ -> _ -> true);
    gateway =
        new KubernetesGateway(
            client,
            new Circuits(() -> false),
            state,
            new InspectorJob("rekindle:1", "Never"),
            new SparePod("rekindle:1", "Never", "rekindle-spare"),
            "rekindle-system",
            "pod-0",
            Runnable::run,
            () -> now);
  }

  @AfterEach
  void tearDown() {
    timer.shutdownNow();
  }
}
