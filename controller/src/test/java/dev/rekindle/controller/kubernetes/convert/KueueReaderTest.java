package dev.rekindle.controller.kubernetes.convert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.QueueView;
import dev.rekindle.controller.model.WorkloadView;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Objects of Kueue 0.15.2 as they stand on the testbed. */
class KueueReaderTest {
  private static final String OWNED =
      """
      metadata:
        namespace: team
        name: pytorchjob-llm-1f2e3
        annotations: {rekindle.dev/suspended-by: llm-r2}
        ownerReferences:
        - {apiVersion: kubeflow.org/v1, kind: PyTorchJob, name: llm, uid: u1, controller: true}
      """;

  private static GenericKubernetesResource object(String yaml) {
    return new KubernetesSerialization()
        .unmarshal(
            "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\n" + yaml,
            GenericKubernetesResource.class);
  }

  private static WorkloadView workload(String yaml) {
    return KueueReader.workload(object(OWNED + yaml)).orElseThrow();
  }

  @Test
  void shouldReadAnAdmittedWorkload() {
    WorkloadView view =
        workload(
            """
            spec:
              active: true
              podSets:
              - name: master
                count: 1
                topologyRequest: {podIndexLabel: training.kubeflow.org/replica-index}
              - {name: worker, count: 2}
            status:
              admission: {clusterQueue: cq, podSetAssignments: [{name: master}]}
              conditions:
              - {type: QuotaReserved, status: 'True', message: Quota reserved in ClusterQueue cq}
              - {type: Admitted, status: 'True'}
            """);

    assertThat(view)
        .isEqualTo(
            new WorkloadView(
                "team",
                "pytorchjob-llm-1f2e3",
                new JobKey("team", "llm"),
                "u1",
                true,
                "llm-r2",
                "cq",
                true,
                true,
                false,
                false,
                ""));
  }

  @Test
  void shouldReadOneThatWaitsInTheWordsOfKueue() {
    WorkloadView view =
        workload(
            """
            spec: {}
            status:
              conditions:
              - type: QuotaReserved
                status: 'False'
                message: "couldn't assign flavors to pod set master:\\n insufficient unused quota"
            """);

    assertThat(view.active()).as("the default").isTrue();
    assertThat(view.quotaReserved()).isFalse();
    assertThat(view.message())
        .isEqualTo("couldn't assign flavors to pod set master: insufficient unused quota");
  }

  @Test
  void shouldBoundTheWordsOfKueue() {
    String view =
        workload(
                "status: {conditions: [{type: QuotaReserved, status: 'False', message: '%s'}]}"
                    .formatted("x".repeat(5_000)))
            .message();

    assertThat(view).hasSize(256).endsWith("...");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "spec: {podSets: [{topologyRequest: {required: rack}}]}",
        "status: {admission: {podSetAssignments: [{topologyAssignment: {levels: [host]}}]}}"
      })
  void shouldSeeThatKueueAssignsNodes(String yaml) {
    assertThat(workload(yaml).topologyAware()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "spec: 7",
        "spec: {active: maybe, podSets: {}}\nstatus: []",
        "status: {admission: [], conditions: [null, 3, {type: []}, {type: Admitted, status: []}]}",
        "status: {conditions: {}}"
      })
  void shouldTakeWhateverTheObjectHolds(String yaml) {
    assertThat(workload(yaml).admitted()).isFalse();
  }

  @Test
  void shouldPassOverWorkloadsOfOtherKinds() {
    assertThat(KueueReader.workload(object(OWNED.replace("PyTorchJob", "Job")))).isEmpty();
    assertThat(KueueReader.workload(object("metadata: {name: w}"))).isEqualTo(Optional.empty());
  }

  @Test
  void shouldReadAQueue() {
    String yaml =
        """
        metadata:
          name: cq
          annotations:
            rekindle.dev/held-for: team/llm/llm-r2
            rekindle.dev/held-at: "2026-01-01T00:00:00Z"
        spec: {stopPolicy: Hold}
        """;

    QueueView view = KueueReader.queue(object(yaml)).orElseThrow();

    assertThat(view)
        .isEqualTo(
            new QueueView("cq", true, "team/llm/llm-r2", Instant.parse("2026-01-01T00:00:00Z")));
    assertThat(view.holdingJob()).isEqualTo(new JobKey("team", "llm"));
    assertThat(view.heldFor(new JobKey("team", "llm"))).isTrue();
    assertThat(view.heldFor(new JobKey("team", "ll"))).isFalse();
    assertThat(KueueReader.queue(object("metadata: {name: cq}")).orElseThrow().stopped()).isFalse();
  }
}
