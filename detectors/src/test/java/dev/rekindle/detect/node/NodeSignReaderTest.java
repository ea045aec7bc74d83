package dev.rekindle.detect.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeSignReaderTest {
  private static final KubernetesSerialization YAML = new KubernetesSerialization();

  private static NodeSigns read(String yaml) {
    return NodeSignReader.read(YAML.unmarshal("metadata: {name: n1}\n" + yaml, Node.class));
  }

  @Test
  void shouldShowNothingOfABareNode() {
    assertThat(read("spec: {}")).isSameAs(NodeSigns.NONE);
    assertThat(read("status: {capacity: {cpu: 64}, allocatable: {cpu: 63}}"))
        .isSameAs(NodeSigns.NONE);
  }

  @Test
  void shouldReadEveryConditionButReady() {
    NodeSigns signs =
        read(
            """
            status:
              conditions:
              - {type: Ready, status: 'True'}
              - type: XIDErrors
                status: 'True'
                reason: XidFound
                message: Xid 79 on GPU 3
                lastHeartbeatTime: 2026-11-21T06:10:00Z
                lastTransitionTime: 2026-11-21T06:00:00Z
              - {type: KernelDeadlock, status: 'False', lastTransitionTime: yesterday}
            """);

    assertThat(signs.conditions())
        .containsExactly(
            new ConditionReading(
                "XIDErrors", "True", "XidFound", "", Instant.parse("2026-11-21T06:00:00Z")),
            new ConditionReading("KernelDeadlock", "False", "", "", null));
    assertThat(signs.conditions().getFirst().message()).isEqualTo("Xid 79 on GPU 3");
  }

  /** Or every heartbeat with a counter in its message would wake the controller. */
  @Test
  void shouldTakeAnotherMessageForNoNews() {
    String before = "status: {conditions: [{type: A, status: 'True', message: seen 3 times}]}";
    String after = "status: {conditions: [{type: A, status: 'True', message: seen 4 times}]}";

    assertThat(read(before)).isEqualTo(read(after));
  }

  @Test
  void shouldKeepOneCopyOfWordsThatAllNodesSay() {
    String yaml = "status: {conditions: [{type: A, status: 'False', message: all is well}]}";

    assertThat(read(yaml).conditions().getFirst().message())
        .isSameAs(read(yaml).conditions().getFirst().message());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "capacity: {nvidia.com/gpu: 8}, allocatable: {nvidia.com/gpu: 7} | nvidia.com/gpu 8 7",
        "capacity: {rdma/hca: 1k}, allocatable: {} | rdma/hca 1000 0",
        "capacity: {a.com/x: 2, b.com/y: 2}, allocatable: {a.com/x: 2} | b.com/y 2 0",
        "capacity: {nvidia.com/gpu: 8}, allocatable: {nvidia.com/gpu: 8} | ''",
        "capacity: {nvidia.com/gpu: 0}, allocatable: {nvidia.com/gpu: 0} | nvidia.com/gpu 0 0",
        "capacity: {nvidia.com/gpu: many}, allocatable: {nvidia.com/gpu: 1} | ''",
        "capacity: {nvidia.com/gpu: 8}, allocatable: {nvidia.com/gpu: 9} | ''",
        "capacity: {pods: 110, example.kubernetes.io/x: 3, hugepages-2Mi: 1Gi}, allocatable: {} |"
            + " ''"
      })
  void shouldSeeDevicesThatAreHeldBack(String resources, String shortfall) {
    assertThat(
            read("status: {%s}".formatted(resources)).shortfalls().stream()
                .map(s -> s.resource() + " " + s.capacity() + " " + s.allocatable()))
        .isEqualTo(shortfall.isEmpty() ? List.of() : List.of(shortfall));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "spec: {taints: [{key: karpenter.sh/disrupted, effect: NoSchedule}]} | Karpenter (taint"
            + " karpenter.sh/disrupted) | true",
        "spec: {taints: [{key: ToBeDeletedByClusterAutoscaler, value: '1', effect: NoSchedule}]} |"
            + " the cluster autoscaler (taint ToBeDeletedByClusterAutoscaler) | true",
        "spec: {taints: [{key: DeletionCandidateOfClusterAutoscaler, effect: PreferNoSchedule}]} |"
            + " - | -",
        "spec: {taints: [{key: nvidia.com/gpu-xid-error, value: 'true', effect: NoSchedule}]} |"
            + " NVSentinel (taint nvidia.com/gpu-xid-error) | true",
        "spec: {taints: [{key: medik8s.io/remediation, effect: NoExecute}]} | medik8s (taint"
            + " medik8s.io/remediation) | true",
        "spec: {taints: [{key: aws-node-termination-handler/spot-itn, effect: NoExecute}]} | the"
            + " AWS termination handler (taint aws-node-termination-handler/spot-itn) | true",
        "spec: {taints: [{key: nvidia.com/gpu, effect: NoSchedule}]} | - | -",
        "spec: {taints: [{effect: NoSchedule}]} | - | -",
        "spec: {unschedulable: true, taints: [{key: node.kubernetes.io/unschedulable, effect:"
            + " NoSchedule}]} | - | -",
        "spec: {taints: [{key: karpenter.sh/disrupted, effect: PreferNoSchedule}]} | - | -"
      })
  void shouldReadFromTaintsWhoIsAtWorkOnANode(String yaml, String owner, Boolean tainted) {
    NodeOwner found = read(yaml).owner();

    assertThat(found == null ? null : found.toString()).isEqualTo(owner);
    assertThat(found == null ? null : found.tainted()).isEqualTo(tainted);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "dgxc.nvidia.com/nvsentinel-state: draining | NVSentinel",
        "dgxc.nvidia.com/nvsentinel-state: remediation-succeeded | -",
        "nvsentinel.dgxc.nvidia.com/managed: 'false' | -",
        "nvidia.com/gpu-driver-upgrade-state: upgrade-done | -",
        "nvidia.com/gpu-driver-upgrade-state: upgrade-required | -",
        "nvidia.com/gpu-driver-upgrade-state: pod-restart-required | the GPU operator's upgrade",
        "nvidia.com/mig.config.state: success | -",
        "nvidia.com/mig.config.state: pending | the MIG manager",
        "sagemaker.amazonaws.com/node-health-status: Schedulable | -",
        "sagemaker.amazonaws.com/node-health-status: UnschedulablePendingReboot | HyperPod",
        "rekindle.dev/maintenance: 'true' | a person",
        "rekindle.dev/maintenance: 'false' | -"
      })
  void shouldReadFromLabelsWhoIsAtWorkOnANode(String label, String who) {
    Node node = YAML.unmarshal("metadata: {name: n1, labels: {%s}}".formatted(label), Node.class);
    NodeOwner found = NodeSignReader.read(node).owner();

    assertThat(found == null ? null : found.who()).isEqualTo(who);
    assertThat(found != null && found.tainted()).isFalse();
  }
}
