package dev.rekindle.controller.kubernetes.convert;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.kubeflow.v1.PyTorchJob;

class InspectorJobTest {
  private static final String POD =
      """
      nodeSelector: {pool: gpu}
      tolerations: [{key: nvidia.com/gpu, operator: Exists}]
      imagePullSecrets: [{name: s}]
      serviceAccountName: trainer
      securityContext: {fsGroup: 2000, runAsUser: %d}
      affinity:
        nodeAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            nodeSelectorTerms:
            - matchExpressions: [{key: gpu, operator: Exists}]
            - matchFields: [{key: metadata.name, operator: In, values: [n7]}]
            - {}
      containers:
      - name: pytorch
        image: trainer:1
        volumeMounts: [{name: c, mountPath: /ckpt, subPath: run}, {name: other, mountPath: /data}]
      volumes: [{name: c, persistentVolumeClaim: {claimName: p}}, {name: other, emptyDir: {}}]
      """;

  static Job build(String pod, String recovery, List<String> excluded) {
    PyTorchJob job =
        new KubernetesSerialization()
            .unmarshal(
                "metadata: {name: j}\nspec: {pytorchReplicaSpecs: {Master: {template: {spec:\n"
                    + "  "
                    + new KubernetesSerialization()
                        .asJson(new KubernetesSerialization().unmarshal(pod, PodSpec.class))
                    + "\n  }}}}",
                PyTorchJob.class);
    return new InspectorJob("rekindle:1", "IfNotPresent")
        .build(
            "team",
            recovery,
            "/ckpt/$(x)",
            "megatron",
            (CheckpointMount.Visible) CheckpointMount.of(job, "/ckpt/$(x)"),
            new OwnerReferenceBuilder().withKind("PyTorchJob").withName("j").withUid("u").build(),
            excluded);
  }

  @Test
  void shouldMountOnlyTheCheckpointsAndOnlyForReading() {
    PodSpec pod = build(POD.formatted(1000), "r1", List.of()).getSpec().getTemplate().getSpec();
    assertThat(pod.getVolumes()).extracting(v -> v.getName()).containsExactly("c");
    var mount = pod.getContainers().getFirst().getVolumeMounts().getFirst();
    assertThat(mount.getReadOnly()).isTrue();
    assertThat(mount.getMountPath()).isEqualTo("/ckpt");
    assertThat(mount.getSubPath()).isEqualTo("run");
  }

  @Test
  void shouldRunWithoutATokenAndWithFewRights() {
    Job job = build(POD.formatted(1000), "r1", List.of());
    PodSpec pod = job.getSpec().getTemplate().getSpec();
    // One pod that is evicted is no answer, and a program that fails each time ends by this.
    assertThat(job.getSpec().getBackoffLimit()).isOne();
    assertThat(job.getSpec().getTtlSecondsAfterFinished()).isEqualTo(300);
    assertThat(job.getSpec().getActiveDeadlineSeconds()).isGreaterThan(300);
    assertThat(pod.getRestartPolicy()).isEqualTo("Never");
    assertThat(pod.getAutomountServiceAccountToken()).isFalse();
    assertThat(pod.getServiceAccountName()).isNull();
    assertThat(pod.getSecurityContext().getFsGroup()).isEqualTo(2000);
    assertThat(pod.getSecurityContext().getRunAsUser()).isEqualTo(1000);
    var rights = pod.getContainers().getFirst().getSecurityContext();
    assertThat(rights.getRunAsNonRoot()).isTrue();
    assertThat(rights.getAllowPrivilegeEscalation()).isFalse();
    assertThat(rights.getReadOnlyRootFilesystem()).isTrue();
    assertThat(rights.getCapabilities().getDrop()).containsExactly("ALL");
    assertThat(job.getMetadata().getOwnerReferences())
        .extracting(o -> o.getUid())
        .containsExactly("u");
  }

  @Test
  void shouldRunAsRootOnlyWhereTheJobDoes() {
    PodSpec pod = build(POD.formatted(0), "r1", List.of()).getSpec().getTemplate().getSpec();
    assertThat(pod.getContainers().getFirst().getSecurityContext().getRunAsNonRoot()).isFalse();
  }

  @Test
  void shouldRunWhereTheJobMayRunButForExcludedNodes() {
    PodSpec pod =
        build(POD.formatted(1), "r1", List.of("n1", "n2")).getSpec().getTemplate().getSpec();
    assertThat(pod.getNodeSelector()).containsEntry("pool", "gpu");
    assertThat(pod.getTolerations()).hasSize(1);
    List<NodeSelectorTerm> terms =
        pod.getAffinity()
            .getNodeAffinity()
            .getRequiredDuringSchedulingIgnoredDuringExecution()
            .getNodeSelectorTerms();
    assertThat(terms.get(0).getMatchExpressions()).hasSize(2);
    assertThat(terms.get(0).getMatchExpressions().get(1).getValues()).containsExactly("n1", "n2");
    assertThat(terms.get(1).getMatchExpressions().getFirst().getOperator()).isEqualTo("NotIn");
    assertThat(terms.get(2).getMatchExpressions()).as("matches nothing").isEmpty();
  }

  @Test
  void shouldPassTheDirectoryLiterally() {
    assertThat(
            build(POD.formatted(1), "r1", List.of())
                .getSpec()
                .getTemplate()
                .getSpec()
                .getContainers()
                .getFirst()
                .getArgs())
        .startsWith("inspect", "--dir", "/ckpt/$$(x)", "--format", "megatron");
  }

  @Test
  void shouldHaveANameThatIsTheSameEachTimeAndFitsALabel() {
    assertThat(InspectorJob.name("mnist-r1")).isEqualTo("mnist-r1-inspect");
    for (int length = 1; length < 120; length++) {
      String name = InspectorJob.name("a".repeat(length - 1) + "x");
      assertThat(name).hasSizeLessThanOrEqualTo(63).endsWith("-inspect");
      assertThat(name).isEqualTo(InspectorJob.name("a".repeat(length - 1) + "x"));
      assertThat(name).isNotEqualTo(InspectorJob.name("a".repeat(length - 1) + "y"));
    }
  }
}
