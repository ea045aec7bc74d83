package dev.rekindle.agent.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.agent.Crud;
import dev.rekindle.agent.config.AgentConfig;
import dev.rekindle.agent.config.DeviceSettings;
import dev.rekindle.detect.WatchedNamespaces;
import dev.rekindle.detect.kmsg.Boot;
import dev.rekindle.detect.nvml.NvmlSettings;
import dev.rekindle.detect.pod.TrainingPod;
import dev.rekindle.detect.rdma.NicSettings;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The whole agent against an API server in memory, with real files and real time. */
abstract class AgentFixture {
  static final Boot BOOT = new Boot("boot-1", Instant.parse("2026-01-01T00:00:00Z"));
  static final String FAULT = "node-1.0000-3b-00.xid-79";
  static final String BUS = "NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.";
  @TempDir Path directory;
  final Crud crud = new Crud();
  final HttpClient http = HttpClient.newHttpClient();

  /** How far the agent's clock is ahead: what it does now and then it does when it is set. */
  volatile Duration ahead = Duration.ZERO;

  @BeforeEach
  void writeKmsg() throws IOException {
    kmsg("6,1,1000,-;Linux version 6.18");
  }

  @AfterEach
  void close() {
    http.close();
    crud.close();
  }

  Agent start() throws IOException {
    var config =
        new AgentConfig(
            "node-1",
            directory.resolve("kmsg"),
            directory.resolve("podlogs"),
            directory.resolve("made/state"),
            0,
            Duration.ofSeconds(1),
            true,
            true,
            directory.resolve("cgroup"),
            directory.resolve("proc"),
            directory.resolve("rules/rules.yaml"),
            directory.resolve("token"),
            WatchedNamespaces.ALL,
            new DeviceSettings(
                new NvmlSettings(
                    true,
                    List.of(directory.resolve("driver")),
                    Duration.ofMillis(200),
                    Duration.ofSeconds(60),
                    Duration.ofMillis(200),
                    Duration.ofMillis(200)),
                new NicSettings(
                    true,
                    directory.resolve("sys"),
                    directory.resolve("proc/1/net/route"),
                    Duration.ofMillis(200),
                    Set.of(),
                    Map.of())));
    return new Agent(
        config, crud.client, BOOT, () -> Instant.now().plus(ahead), new PrometheusRegistry());
  }

  void kmsg(String line) throws IOException {
    Files.writeString(
        directory.resolve("kmsg"),
        line + "\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  static void await(String what, BooleanSupplier condition) {
    var end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("waited 60 s for: " + what).isLessThan(end);
      LockSupport.parkNanos(5_000_000);
    }
  }

  HttpResponse<String> get(Agent agent, String path) {
    try {
      return http.send(
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + agent.port() + path)).build(),
          HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  void job() {
    crud.client
        .resource(
            new GenericKubernetesResourceBuilder()
                .withApiVersion("kubeflow.org/v1")
                .withKind("PyTorchJob")
                .withNewMetadata()
                .withNamespace("team")
                .withName("job")
                .withAnnotations(Map.of("rekindle.dev/recover", "true"))
                .endMetadata()
                .build())
        .create();
  }

  Pod pod(String name, String node) {
    return pod(name, node, new PodStatus());
  }

  Pod pod(String name, String node, PodStatus status) {
    var pod =
        new PodBuilder()
            .withNewMetadata()
            .withNamespace("team")
            .withName(name)
            .addToLabels(TrainingPod.OPERATOR_LABEL, TrainingPod.OPERATOR)
            .addToLabels(TrainingPod.JOB_LABEL, "job")
            .endMetadata()
            .withNewSpec()
            .withNodeName(node)
            .endSpec()
            .withStatus(status)
            .build();
    return crud.client.resource(pod).create();
  }
}
