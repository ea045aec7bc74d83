package dev.rekindle.controller.kubernetes.convert;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.kubeflow.v1.PyTorchJob;

/** An inspector of an object store. */
class InspectorKeysTest {

  @Test
  void shouldMountNothingButTheKeysOfAnObjectStore() {
    PyTorchJob job =
        Jobs.typed(
            """
            metadata:
              name: j
              annotations:
                rekindle.dev/checkpoint: s3://bucket/$(run)
                rekindle.dev/checkpoint-endpoint: https://store:9000
                rekindle.dev/checkpoint-secret: rekindle-checkpoints-team
            spec:
              pytorchReplicaSpecs:
                Master:
                  template:
                    spec:
                      nodeSelector: {pool: gpu}
                      containers:
                      - {name: pytorch, volumeMounts: [{name: c, mountPath: /ckpt}]}
                      volumes: [{name: c, persistentVolumeClaim: {claimName: p}}]
            """);
    PodSpec pod =
        new InspectorJob("rekindle:1", "IfNotPresent")
            .build(
                "team",
                "r1",
                "s3://bucket/$(run)",
                "auto",
                (CheckpointMount.Visible) CheckpointMount.of(job, "s3://bucket/$(run)"),
                new OwnerReferenceBuilder().withUid("u").build(),
                List.of())
            .getSpec()
            .getTemplate()
            .getSpec();

    assertThat(pod.getNodeSelector()).containsEntry("pool", "gpu");
    assertThat(pod.getVolumes()).hasSize(1);
    var secret = pod.getVolumes().getFirst().getSecret();
    assertThat(secret.getSecretName()).isEqualTo("rekindle-checkpoints-team");
    assertThat(secret.getOptional()).as("its absence is said by the inspector").isTrue();
    var container = pod.getContainers().getFirst();
    assertThat(container.getEnv()).isEmpty();
    assertThat(container.getVolumeMounts()).hasSize(1);
    assertThat(container.getVolumeMounts().getFirst().getReadOnly()).isTrue();
    assertThat(container.getVolumeMounts().getFirst().getMountPath())
        .isEqualTo("/var/run/rekindle/store");
    assertThat(container.getArgs())
        .containsExactly(
            "inspect",
            "--dir",
            "s3://bucket/$$(run)",
            "--format",
            "auto",
            "--region",
            "us-east-1",
            "--credentials",
            "/var/run/rekindle/store",
            "--endpoint",
            "https://store:9000",
            "--interval",
            "1s",
            "--deadline",
            "300s");
  }
}
