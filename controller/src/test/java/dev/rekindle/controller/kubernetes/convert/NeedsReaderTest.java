package dev.rekindle.controller.kubernetes.convert;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.NodeRoom.NodeTaint;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodNeeds;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class NeedsReaderTest {
  private static final String JOB =
      """
      kind: PyTorchJob
      metadata:
        name: demo
        uid: u1
        annotations: {rekindle.dev/job-uid: u1, rekindle.dev/excluded-nodes: "n1,n2"}
      spec:
        pytorchReplicaSpecs:
          Worker:
            template:
              spec:
                nodeSelector: {pool: gpu}
                tolerations:
                - {key: nvidia.com/gpu, operator: Exists}
                - {key: team, value: a, effect: NoSchedule}
                affinity:
                  podAntiAffinity:
                    requiredDuringSchedulingIgnoredDuringExecution:
                    - {topologyKey: kubernetes.io/hostname}
                  nodeAffinity:
                    requiredDuringSchedulingIgnoredDuringExecution:
                      nodeSelectorTerms:
                      - matchExpressions:
                        - {key: gpu, operator: In, values: [h200]}
                        - {key: kubernetes.io/hostname, operator: NotIn, values: [n2, n1]}
                      - matchFields: [{key: metadata.name, operator: In, values: [n7]}]
                overhead: {cpu: 250m}
                initContainers:
                - {name: warm, resources: {limits: {memory: 8Gi}}}
                containers:
                - name: pytorch
                  resources:
                    limits: {nvidia.com/gpu: 8, rdma/hca_3: 1, memory: 4Gi}
                    requests: {cpu: "1.5", memory: 2Gi}
                - name: side
                  resources: {requests: {cpu: 100m, odd: none}}
      """;

  private static PodNeeds needs() {
    return JobReader.read(Jobs.typed(JOB)).replicas().getFirst().needs();
  }

  private static NodeView node(Map<String, String> labels) {
    return Given.node("node-1").withLabels(labels);
  }

  @Test
  void shouldReadAllThatAPodRequests() {
    assertThat(needs().requests())
        .isEqualTo(
            Amounts.of(
                Map.of("nvidia.com/gpu", 8L, "rdma/hca_3", 1L, "cpu", 1_850L, "memory", 8L << 30)));
  }

  @Test
  void shouldReadWhereTheJobMayGoWithoutOurPart() {
    assertThat(needs().terms()).hasSize(2);
    assertThat(needs().terms().getFirst().onLabels()).hasSize(1);
    assertThat(needs().onePerNode()).isTrue();
    assertThat(needs().selects(node(Map.of("pool", "gpu", "gpu", "h200")))).isTrue();
    assertThat(needs().selects(node(Map.of("pool", "gpu", "gpu", "h100")))).isFalse();
    assertThat(needs().selects(node(Map.of("gpu", "h200")))).isFalse();
    assertThat(needs().selects(Given.node("n7").withLabels(Map.of("pool", "gpu")))).isTrue();
  }

  @Test
  void shouldReadWhichTaintsAreBorne() {
    assertThat(needs().tolerates(new NodeTaint("nvidia.com/gpu", "x", "NoSchedule"))).isTrue();
    assertThat(needs().tolerates(new NodeTaint("team", "a", "NoSchedule"))).isTrue();
    assertThat(needs().tolerates(new NodeTaint("team", "b", "NoSchedule"))).isFalse();
    assertThat(needs().tolerates(new NodeTaint("team", "a", "NoExecute"))).isFalse();
  }

  @Test
  void shouldTakeATemplateWithoutAnythingForOneThatNeedsNothing() {
    assertThat(NeedsReader.of(null, AffinityPatch.NOTHING)).isEqualTo(PodNeeds.NONE);
  }

  @Test
  void shouldBoundWhatATenantRequests() {
    String huge = JOB.replace("memory: 8Gi", "memory: 999999999999999Ti");

    assertThat(JobReader.read(Jobs.typed(huge)).replicas().getFirst().needs().requests())
        .satisfies(a -> assertThat(a.get("memory")).isEqualTo(AmountsReader.MOST));
  }

  /** What is kept of a job stays as long as the job: it is to be small, however large that is. */
  @Test
  void shouldKeepLittleOfATemplateThatNamesALot() {
    String values = IntStream.range(0, 50_000).mapToObj(i -> "v" + i).collect(joining(", "));
    String amounts =
        IntStream.range(0, 200)
            .mapToObj(
                i -> "- {name: c%d, resources: {requests: {example.com/r%d: 1}}}".formatted(i, i))
            .collect(joining("\n          "));
    String large =
        JOB.replace("pool: gpu", "pool: gpu, %s: b".formatted("k".repeat(1_000)))
            .replace("key: team, value: a", "key: team, value: " + "x".repeat(1_000))
            .replace("[h200]", "[h200, %s]".formatted(values))
            .replace("[n7]", "[%s]".formatted(values))
            .replace("- {name: warm,", amounts + "\n          - {name: warm,");

    PodNeeds needs = JobReader.read(Jobs.typed(large)).replicas().getFirst().needs();

    assertThat(
            needs.terms().stream()
                .flatMap(t -> Stream.concat(t.onLabels().stream(), t.onName().stream()))
                .mapToInt(c -> c.values().size())
                .sum())
        .isEqualTo(1_024);
    assertThat(needs.terms().getFirst().onLabels().getFirst().values()).contains("h200");
    assertThat(needs.nodeSelector().keySet()).allMatch(k -> k.length() <= Texts.LONGEST);
    assertThat(needs.tolerations()).allMatch(t -> t.value().length() <= Texts.LONGEST);
    assertThat(needs.requests().values()).hasSizeLessThanOrEqualTo(64);
    assertThat(needs.selects(node(Map.of("pool", "gpu", "gpu", "h200"))))
        .as("no node has a label of 1,000 characters")
        .isFalse();
  }

  private static PodNeeds withVolumes(String volumes) {
    return JobReader.read(
            Jobs.typed(
                JOB.replace(
                    "containers:\n", "volumes: [" + volumes + "]\n          containers:\n")))
        .replicas()
        .getFirst()
        .needs();
  }

  /** What is no name of an object would be read by another path of the API. */
  @Test
  void shouldReadTheClaimsOfATemplate() {
    assertThat(needs().claims()).isEmpty();
    assertThat(
            withVolumes(
                    "{name: a, persistentVolumeClaim: {claimName: data-1.x}},"
                        + " {name: b, persistentVolumeClaim: {claimName: data-1.x}},"
                        + " {name: c, persistentVolumeClaim: {claimName: ../../secrets/s}},"
                        + " {name: d, persistentVolumeClaim: {claimName: ''}},"
                        + " {name: e, persistentVolumeClaim: {}}, {name: f, emptyDir: {}},"
                        + " {name: g, persistentVolumeClaim: {claimName: %s}}"
                            .formatted("x".repeat(254)))
                .claims())
        .containsExactly("data-1.x");
    assertThat(
            withVolumes(
                    IntStream.range(0, 99)
                        .mapToObj(
                            i ->
                                "{name: v%d, persistentVolumeClaim: {claimName: c%d}}"
                                    .formatted(i, i))
                        .collect(joining(", ")))
                .claims())
        .hasSize(64);
  }
}
