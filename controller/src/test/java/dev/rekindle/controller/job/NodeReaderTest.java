package dev.rekindle.controller.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
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
  void shouldCountTheGpusThatPodsMayAskFor(String rest, long gpus) {
    String yaml = "metadata: {name: n1}\n" + rest;

    assertThat(NodeReader.read(new KubernetesSerialization().unmarshal(yaml, Node.class)).gpus())
        .isEqualTo(gpus);
  }
}
