package dev.rekindle.controller.kubernetes.convert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.model.NodeRoom;
import dev.rekindle.controller.model.NodeView;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeReaderTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "status: {capacity: {nvidia.com/gpu: 8}, allocatable: {nvidia.com/gpu: 7, cpu: 64}} | 7",
        "status: {allocatable: {amd.com/gpu: '8'}} | 8",
        "status: {allocatable: {nvidia.com/gpu.shared: 8, nvidia.com/gpu: many}} | 0",
        "status: {capacity: {nvidia.com/gpu: 8}} | 0",
        "spec: {} | 0"
      })
  void shouldCountTheGpusThatPodsMayRequest(String rest, long gpus) {
    String yaml = "metadata: {name: n1}\n" + rest;

    assertThat(NodeReader.read(new KubernetesSerialization().unmarshal(yaml, Node.class)).gpus())
        .isEqualTo(gpus);
  }

  @Test
  void shouldListAResourceOfWhichNoneIsLeft() {
    String yaml =
        "metadata: {name: n1}\n"
            + "status: {allocatable: {a.com/x: 0, b.com/y: 2, hugepages-1Gi: 0}}";

    NodeRoom room =
        NodeReader.read(new KubernetesSerialization().unmarshal(yaml, Node.class)).room();

    assertThat(room.lists("a.com/x")).isTrue();
    assertThat(room.lists("b.com/y")).isTrue();
    assertThat(room.lists("c.com/z")).isFalse();
    assertThat(room.zero()).containsExactly("a.com/x");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "{type: Ready, status: 'True', lastHeartbeatTime: '2026-01-01T00:00:05Z'} |"
            + " 2026-01-01T00:00:05Z",
        "{type: Ready, status: Unknown, lastHeartbeatTime: '2026-01-01T00:00:05Z'} |"
            + " 2026-01-01T00:00:05Z",
        "{type: GPUMissing, status: 'True', lastHeartbeatTime: '2026-01-01T00:00:05Z'} | -",
        "{type: Ready, status: 'True'} | -",
        "{type: Ready, status: 'True', lastHeartbeatTime: lately} | -"
      })
  void shouldTakeTheHeartbeatForTheTimeAtWhichABootIsReported(String condition, Instant since) {
    String yaml =
        "metadata: {name: n1}\nstatus: {nodeInfo: {bootID: b}, conditions: [%s]}"
            .formatted(condition);
    NodeView node = NodeReader.read(new KubernetesSerialization().unmarshal(yaml, Node.class));

    assertThat(node.bootId()).isEqualTo("b");
    assertThat(node.bootSince()).isEqualTo(since);
  }

  /** By whom, and when, as the API server keeps it for each field. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "f1 | rekindle.dev/approve-fence | 2026-01-01T00:00:05Z | 2026-01-01T00:00:05Z",
        "f1 | rekindle.dev/other | 2026-01-01T00:00:05Z | -",
        "f1 | rekindle.dev/approve-fence | lately | -",
        "-  | rekindle.dev/approve-fence | 2026-01-01T00:00:05Z | -"
      })
  void shouldReadWhenAFenceWasApproved(
      @Nullable String fault, String field, String time, @Nullable Instant at) {
    String yaml =
        """
        metadata:
          name: n1
          annotations: {%s}
          managedFields:
          - {manager: kubelet, time: '2026-05-01T00:00:00Z',
             fieldsV1: {'f:metadata': {'f:annotations': {'f:csi': {}}}}}
          - {manager: none, time: '2026-06-01T00:00:00Z'}
          - {manager: odd, time: '2026-06-01T00:00:00Z', fieldsV1: {'f:metadata': 1}}
          - {manager: kubectl, time: '%s', fieldsV1: {'f:metadata': {'f:annotations': {'f:%s': {}}}}}
        """
            .formatted(fault == null ? "" : "rekindle.dev/approve-fence: " + fault, time, field);

    assertThat(
            NodeReader.read(new KubernetesSerialization().unmarshal(yaml, Node.class)).approvedAt())
        .isEqualTo(at);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "creationTimestamp: '2026-01-01T00:00:05Z' | 2026-01-01T00:00:05Z",
        "creationTimestamp: lately | -",
        "uid: u | -"
      })
  void shouldReadWhenTheObjectWasCreated(String metadata, Instant created) {
    String yaml = "metadata: {name: n1, %s}".formatted(metadata);

    assertThat(NodeReader.read(new KubernetesSerialization().unmarshal(yaml, Node.class)).created())
        .isEqualTo(created);
  }
}
