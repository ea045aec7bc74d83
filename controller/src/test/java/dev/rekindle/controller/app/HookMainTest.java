package dev.rekindle.controller.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RecoveryStatus;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the chart's hooks say, on an API server in memory. */
@SuppressWarnings("NullAway.Init") // The extension sets client and server.
@EnableKubernetesMockClient(crud = true)
class HookMainTest {
  private static final Instant NOW = Instant.parse("2026-11-21T06:00:00Z");

  private KubernetesClient client;
  private KubernetesMockServer server;
  private int renewals;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private HookMain hook(Map<String, String> environment, HookMain.Pause pause) {
    return new HookMain(environment, new PrintStream(out, true, StandardCharsets.UTF_8), pause);
  }

  private String said() {
    return out.toString(StandardCharsets.UTF_8);
  }

  private void recovery(String namespace, RecoveryPhase phase) {
    var recovery = new Recovery();
    recovery.setMetadata(
        new ObjectMetaBuilder().withName("llm-r1").withNamespace(namespace).build());
    recovery.setSpec(new RecoverySpec(JobRef.pyTorchJob("llm", "uid"), NOW, null));
    recovery.setStatus(
        new RecoveryStatus(phase, NOW, 1, null, null, null, null, List.of(), List.of()));
    client.resource(recovery).create();
  }

  private int removal(String namespaces) {
    return hook(Map.of("REKINDLE_WATCH_NAMESPACES", namespaces), () -> {}).removal(client);
  }

  @Test
  void shouldRefuseToBeRemovedWhileARecoveryIsOpenAndNameFencedNodes() {
    recovery("team", RecoveryPhase.DRAINING);
    client
        .resource(
            new NodeBuilder()
                .withNewMetadata()
                .withName("n1")
                .addToAnnotations("rekindle.dev/fenced-by", "fault/n1.x")
                .addToAnnotations("rekindle.dev/fence-reason", "XID-79")
                .endMetadata()
                .build())
        .create();
    client
        .resource(new NodeBuilder().withNewMetadata().withName("n2").endMetadata().build())
        .create();

    assertThat(removal("")).isEqualTo(1);
    assertThat(said()).contains("recovery team/llm-r1 of job llm: Draining", "n1: XID-79");
    assertThat(said()).doesNotContain("n2");
  }

  @Test
  void shouldReadTheWatchedNamespacesOnly() {
    recovery("elsewhere", RecoveryPhase.DRAINING);

    assertThat(removal("team,other")).isZero();
    assertThat(removal("team,elsewhere")).isEqualTo(1);
  }

  @Test
  void shouldLetItGoWhenAllRecoveriesAreOver() {
    recovery("team", RecoveryPhase.RECOVERED);

    assertThat(removal("")).isZero();
    assertThat(said()).isEqualToIgnoringNewLines("No node is fenced.");
  }

  @Test
  void shouldRefuseWhatCannotBeRead() {
    server
        .expect()
        .get()
        .withPath("/api/v1/nodes?limit=500")
        .andReturn(403, "{\"kind\":\"Status\",\"message\":\"nodes is forbidden\",\"code\":403}")
        .always();

    assertThat(removal("")).isEqualTo(1);
    assertThat(said()).contains("REFUSED: what is open cannot be read", "nodes is forbidden");
  }

  private static final Map<String, String> INSTALLED =
      Map.of("REKINDLE_NAMESPACE", "rk", "REKINDLE_AGENTS", "rekindle-agent");

  private void installation() {
    for (String pod : List.of("c-0", "c-1")) {
      client
          .resource(
              new PodBuilder()
                  .withNewMetadata()
                  .withNamespace("rk")
                  .withName(pod)
                  .endMetadata()
                  .build())
          .create();
    }
    lease();
    client
        .resource(
            new DaemonSetBuilder()
                .withNewMetadata()
                .withNamespace("rk")
                .withName("rekindle-agent")
                .endMetadata()
                .withNewStatus()
                .withDesiredNumberScheduled(3)
                .withUpdatedNumberScheduled(3)
                .withNumberReady(3)
                .endStatus()
                .build())
        .create();
  }

  private void lease() {
    client
        .resource(
            new LeaseBuilder()
                .withNewMetadata()
                .withNamespace("rk")
                .withName("rekindle-controller")
                .endMetadata()
                .withNewSpec()
                .withHolderIdentity("c-1")
                .withLeaseTransitions(renewals++)
                .endSpec()
                .build())
        .createOr(r -> r.update());
  }

  /** What a real API server makes of the chart's CRDs. */
  private void publish() throws IOException {
    Map<String, Object> schemas = new HashMap<>();
    try (Stream<Path> files = Files.list(Path.of("../charts/rekindle/crds"))) {
      for (Path file : files.toList()) {
        var crd =
            Serialization.unmarshal(Files.readString(file), CustomResourceDefinition.class)
                .getSpec();
        schemas.put(
            "dev.rekindle.v1alpha1." + crd.getNames().getKind(),
            crd.getVersions().getFirst().getSchema().getOpenAPIV3Schema());
      }
    }
    server
        .expect()
        .get()
        .withPath("/openapi/v3/apis/rekindle.dev/v1alpha1")
        .andReturn(200, Serialization.asJson(Map.of("components", Map.of("schemas", schemas))))
        .always();
  }

  @Test
  void shouldSayThatCrdsAreNotThere() throws InterruptedException {
    installation();
    server
        .expect()
        .get()
        .withPath("/openapi/v3/apis/rekindle.dev/v1alpha1")
        .andReturn(404, "")
        .always();

    assertThat(hook(INSTALLED, this::lease).install(client)).isEqualTo(1);
    assertThat(said()).contains("FAILED   crds");
  }

  @Test
  void shouldBeContentOnceTheLeaderHasRenewedItsLease() throws Exception {
    installation();
    publish();

    int code = hook(INSTALLED, this::lease).install(client);
    assertThat(code).as(said()).isZero();
    assertThat(said()).contains("ok       leader   c-1", "3 of 3 nodes");
  }

  @Test
  void shouldSayAfterAMinuteThatALeaderIsSilent() throws InterruptedException {
    installation();
    int[] pauses = {0};

    assertThat(hook(INSTALLED, () -> pauses[0]++).install(client)).isEqualTo(1);
    assertThat(pauses[0]).isEqualTo(59);
    assertThat(said()).contains("FAILED   leader   c-1 holds the lease and does not renew it");
  }
}
