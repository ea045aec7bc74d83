package org.kubeflow.v1;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;

@EnableKubernetesMockClient(crud = true)
class PyTorchJobTest {
  @SuppressWarnings("unused") // set by the extension
  private KubernetesClient client;

  private static String yaml() throws IOException {
    try (InputStream file =
        PyTorchJobTest.class.getResourceAsStream("/pytorchjob-unknown-fields.yaml")) {
      return new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private void create(String job) {
    client
        .genericKubernetesResources(ResourceDefinitionContext.fromResourceType(PyTorchJob.class))
        .resource(Serialization.unmarshal(job, GenericKubernetesResource.class))
        .create();
  }

  @Test
  void shouldKeepUnknownFieldsAtEveryLevelWhenRoundTripped() throws IOException {
    JsonNode before = Serialization.unmarshal(yaml(), JsonNode.class);

    PyTorchJob job = Serialization.unmarshal(yaml(), PyTorchJob.class);
    JsonNode after = Serialization.unmarshal(Serialization.asJson(job), JsonNode.class);

    assertThat(after).isEqualTo(before);
  }

  @Test
  void shouldGiveTheKnownFieldsTheirTypes() throws IOException {
    PyTorchJob job = Serialization.unmarshal(yaml(), PyTorchJob.class);
    var master = Objects.requireNonNull(job.getSpec().getPytorchReplicaSpecs().get("Master"));

    assertThat(job.getSpec().getRunPolicy().getSuspend()).isFalse();
    assertThat(job.getSpec().getRunPolicy().getActiveDeadlineSeconds()).isEqualTo(5_000_000_000L);
    assertThat(master.getTemplate().getSpec().getContainers().getFirst().getName())
        .isEqualTo("pytorch");
    assertThat(job.getStatus().getConditions().getFirst().getType()).isEqualTo("Running");
    assertThat(
            Objects.requireNonNull(job.getStatus().getReplicaStatuses().get("Worker")).getActive())
        .isEqualTo(3);
  }

  @Test
  void shouldListTypedWhenOneJobHasUnknownFields() throws IOException {
    create(yaml());
    create(
        """
        apiVersion: kubeflow.org/v1
        kind: PyTorchJob
        metadata: {name: plain, namespace: team-a}
        spec: {pytorchReplicaSpecs: {Worker: {}}}
        """);

    var jobs = client.resources(PyTorchJob.class).inNamespace("team-a").list().getItems();

    assertThat(jobs)
        .extracting(job -> job.getMetadata().getName())
        .containsExactlyInAnyOrder("bert", "plain");
  }

  @Test
  void shouldReadAJobWithoutDefaults() {
    PyTorchJob job =
        Serialization.unmarshal(
            """
            apiVersion: kubeflow.org/v1
            kind: PyTorchJob
            metadata: {name: plain, namespace: team-a}
            spec: {pytorchReplicaSpecs: {Worker: {}}}
            """,
            PyTorchJob.class);
    var worker = Objects.requireNonNull(job.getSpec().getPytorchReplicaSpecs().get("Worker"));

    assertThat(worker.getReplicas()).isNull();
    assertThat(worker.getRestartPolicy()).isNull();
    assertThat(worker.getTemplate()).isNull();
    assertThat(job.getSpec().getRunPolicy()).isNull();
    assertThat(job.getStatus()).isNull();
  }

  @Test
  void shouldWriteAReadJobWithoutAddingAnything() {
    String minimal =
        """
        {"apiVersion":"kubeflow.org/v1","kind":"PyTorchJob","metadata":{"name":"a"},\
        "spec":{"pytorchReplicaSpecs":{"Worker":{"replicas":2}}}}\
        """;

    ObjectNode after =
        Serialization.unmarshal(
            Serialization.asJson(Serialization.unmarshal(minimal, PyTorchJob.class)),
            ObjectNode.class);

    assertThat(after).isEqualTo(Serialization.unmarshal(minimal, ObjectNode.class));
  }
}
